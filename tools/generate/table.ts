/** The cells of one row of a table. */
export type Cells = readonly string[];

/** Writes a table of Markdown; the first row is its head. */
export const tableOf = ([head = [], ...rows]: readonly Cells[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** Replaces a table in a document between the comments that say what it is a table of. */
export function withTable(of: string, table: string, document: string): string {
  const begin = `<!-- The table of ${of} is written by \`npm run generate\`. -->`;
  const end = `<!-- The end of the table of ${of}. -->`;
  const [before, rest, ...others] = document.split(begin);
  const [, after, ...more] = (rest ?? "").split(end);
  if (after === undefined || others.length + more.length > 0)
    throw new Error(`there has to be one ${begin} with one ${end} after it`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}
