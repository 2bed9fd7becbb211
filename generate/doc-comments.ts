/** The comments of a table in TypeScript, by the keys of the environment that its rows begin with. */
export function docComments(source: string): ReadonlyMap<string, string> {
  const rows = source.matchAll(
    /\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\s*\w+:\s*(?:\w+\(\s*)?"(?<key>[A-Z_]+)"/g,
  );
  return new Map(
    [...rows].map(({ groups: { key = "", comment = "" } = {} }) => [key, plain(comment)]),
  );
}

/** A comment on one line, without its asterisks. */
const plain = (comment: string): string =>
  comment
    .split("\n")
    .map((line) => line.replace(/^ *\*/, "").trim())
    .filter((line) => line !== "")
    .join(" ");

/** The sentence of a comment, as a cell of a table has it: in lower case, and without the tags and the full stop. */
export function meaningIn(comment: string): string {
  const [sentence = ""] = comment.split(/ ?@/);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
