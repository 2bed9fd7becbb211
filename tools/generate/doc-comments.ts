/** Finds the comment above each row of a table in TypeScript, by the environment key of that row. */
export function docComments(source: string): ReadonlyMap<string, string> {
  const rows = source.matchAll(
    /\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\s*\w+:\s*(?:\w+\(\s*)?"(?<key>[A-Z_]+)"/g,
  );
  return new Map(
    [...rows].map(({ groups: { key = "", comment = "" } = {} }) => [key, plain(comment)]),
  );
}

/** Puts a comment on one line, without its asterisks. */
const plain = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^ *\*/, "").trim())
    .filter((line) => line !== "")
    .join(" ");

/** Turns a comment into a cell of a table: it begins in lower case, without tags and full stop. */
export function meaningIn(comment: string): string {
  const [sentence = ""] = comment.split(/ ?@/);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
