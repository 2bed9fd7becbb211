import { line } from "./shape.ts";

/** A line of a list; a blank one counts as a comment. */
export interface AwsAuthRow {
  /** The number of the line. */
  readonly at: number;
  readonly is: "comment" | "item" | "field" | "value";
  /** The column of its first character, which is the dash of an item. */
  readonly column: number;
  /** The column of what follows the dash. */
  readonly inner: number;
  /** The key with its quotes; empty if there is none. */
  readonly key: string;
  /** The value with its quotes; empty if there is none. */
  readonly value: string;
  /** The text after the value: blanks and a comment. */
  readonly tail: string;
}

const form = new RegExp(`^${line}$`);
const beginning = new RegExp(`^${line}`);

/** Reads the lines of a list, or says where the first invalid line is. */
export function rowsOf(text: string): readonly AwsAuthRow[] | string {
  const lines = text.split(/\r?\n/);
  const broken = lines.findIndex((one) => !form.test(one));
  if (broken < 0) return lines.map((one, index) => rowOf(one, index + 1));
  const wrong = lines[broken] ?? "";
  return flawAt(broken + 1, wrong.slice(beginning.exec(wrong)?.[0].length));
}

/** Names a line, and what is wrong there. */
export const flawAt = (at: number, text: string): string =>
  `line ${at}, from ${JSON.stringify(/^ *(.{0,20})/.exec(text)?.[1])} on,`;

function rowOf(text: string, at: number): AwsAuthRow {
  const [, { length: column } = "", dash = "", name = "", rest = ""] = form.exec(text) ?? [];
  const row = { at, column, inner: column + dash.length, key: name, value: rest, tail: "" };
  if (rest === "") return { ...row, is: "comment" };
  // A dash and a key may stand alone.
  if (rest === "-" && row.inner === column && name === "") return { ...row, is: "item", value: "" };
  const [key, value] = name === "" && rest.endsWith(":") ? [rest.slice(0, -1), ""] : [name, rest];
  const tail = text.slice(row.inner + rest.length);
  return { ...row, is: kindOf(dash, key), key, value, tail };
}

const kindOf = (dash: string, key: string): AwsAuthRow["is"] => {
  if (dash !== "") return "item";
  return key === "" ? "value" : "field";
};

/** Divides rows into groups, each of which begins with a row of a kind; rows before the first one are a group too. */
export function groupsOf(
  rows: readonly AwsAuthRow[],
  begins: (row: AwsAuthRow) => boolean,
): readonly AwsAuthRow[][] {
  const groups: AwsAuthRow[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last === undefined || begins(row)) groups.push([row]);
    else last.push(row);
  }
  return groups;
}
