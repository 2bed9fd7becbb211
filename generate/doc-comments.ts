/** Finds the comment above each row of a table in TypeScript, by the key of the environment that the row begins with. */
export function docComments(source: string): ReadonlyMap<string, string> {
  const rows = source.matchAll(
    /\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\s*\w+:\s*(?:\w+\(\s*)?"(?<key>[A-Z_]+)"/g,
  );
  return new Map(
    [...rows].map(({ groups: { key = "", comment = "" } = {} }) => [key, plain(comment)]),
  );
}

/** Writes a comment on one line, without its asterisks. */
const plain = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^ *\*/, "").trim())
    .filter((line) => line !== "")
    .join(" ");

/** Writes the sentence of a comment as a cell of a table: it begins in lower case, and has no tags and no full stop. */
export function meaningIn(comment: string): string {
  const [sentence = ""] = comment.split(/ ?@/);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
