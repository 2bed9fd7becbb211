import { type AwsAuthEntry, tryAwsAuthEntry } from "./entry.ts";
import { type AwsAuthRow, flawAt, groupsOf, rowsOf } from "./rows.ts";
import { json, jsonBeginning, nothing, start, strange } from "./shape.ts";
import { tryJson, tryValue, unquoted } from "./values.ts";

/** The content of `mapRoles`: nothing, or a list in one of the two forms that can be appended to. */
export interface AwsAuth {
  readonly form:
    | { readonly kind: "nothing" }
    | { readonly kind: "json" }
    /** A list of lines, whose items all have the same indent. */
    | { readonly kind: "lines"; readonly indent: string };
  /** The items that map a role. */
  readonly entries: readonly AwsAuthEntry[];
}

/** The content of `mapRoles`, or why it cannot be read. */
export type AwsAuthReading =
  | ({ readonly kind: "read" } & AwsAuth)
  | { readonly kind: "unreadable"; readonly reason: string };

// Room for 600 roles. The API server's limit for what an admission policy may cost is near.
const mostCharacters = 100_000;

/**
 * Reads `mapRoles` as the authenticator does, where it is a list of plain lines or JSON.
 *
 * Any other text counts as unreadable, although a reader of YAML might understand it, and so does a very long one.
 */
export function readAwsAuth(text: string): AwsAuthReading {
  const reason = tryTooLong(text) ?? tryStrange(text);
  if (reason !== undefined) return { kind: "unreadable", reason };
  if (isOf(nothing, text)) return { kind: "read", form: { kind: "nothing" }, entries: [] };
  if (isOf(json, text)) return readJson(text);
  return isOf(start, text) ? readLines(text) : notPlain(flawIn(text));
}

const isOf = (form: string, text: string): boolean => new RegExp(form).test(text);

/** Why a text of `mapRoles` is too long; `undefined` if it is not. */
export function tryTooLong({ length }: string): string | undefined {
  return length > mostCharacters
    ? `${length} characters are more than the ${mostCharacters} that the function edits`
    : undefined;
}

function tryStrange(text: string): string | undefined {
  const at = text.search(strange);
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0");
  return at < 0 ? undefined : `line ${lineAt(text, at)} has the character U+${code}`;
}

export const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split("\n").length;

/** Where a text ends to be JSON, or where its first line is that is no comment. */
function flawIn(text: string): string {
  const [{ length } = ""] = new RegExp(jsonBeginning).exec(text) ?? [];
  const at = Math.max(length, text.search(/^ *[^ #\r\n]/m));
  return at === text.length ? "the text" : flawAt(lineAt(text, at), text.slice(at));
}

const notPlain = (where: string): AwsAuthReading => ({
  kind: "unreadable",
  reason: `${where} belongs neither to a plain list of entries nor to JSON`,
});

function readJson(text: string): AwsAuthReading {
  const items = tryJson(text);
  return Array.isArray(items) ? readEntries(items, { kind: "json" }) : notPlain("the text");
}

function readLines(text: string): AwsAuthReading {
  const read = readItems(text);
  if (read.kind === "flaw") return notPlain(read.where);
  return readEntries(read.items, { kind: "lines", indent: read.indent });
}

function readEntries(items: readonly unknown[], form: AwsAuth["form"]): AwsAuthReading {
  const found = items.map(tryAwsAuthEntry);
  if (found.includes(undefined)) return notPlain("the text");
  const entries = found.filter((entry) => entry !== undefined && entry !== "no entry");
  return { kind: "read", form, entries };
}

/** The items of a list and its indent, or where readers may disagree. */
type Items =
  | { readonly kind: "items"; readonly items: readonly unknown[]; readonly indent: string }
  | { readonly kind: "flaw"; readonly where: string };

/** Reads a list of lines, or comments alone: entries, and in their fields texts, lists of texts and maps of texts. */
function readItems(text: string): Items {
  const rows = rowsOf(text);
  if (typeof rows === "string") return { kind: "flaw", where: rows };
  const first = rows.find(isContent);
  if (first === undefined) return { kind: "items", items: [], indent: "" };
  const { column } = first;
  const own = rows.filter(({ at }) => at >= first.at);
  const groups = groupsOf(own, (row) => row.is === "item" && row.column === column);
  const items = groups.map(tryItem);
  const wrong = items.indexOf(undefined);
  if (wrong < 0) return { kind: "items", items, indent: " ".repeat(column) };
  return { kind: "flaw", where: `the item in line ${groups[wrong]?.[0]?.at}` };
}

const isContent = ({ is }: AwsAuthRow): boolean => is !== "comment";

/** The value of an item; `undefined` if parsers may disagree. */
function tryItem([first, ...rest]: readonly AwsAuthRow[]): unknown {
  if (first?.is !== "item") return undefined;
  if (first.key === "") return rest.some(isContent) ? undefined : tryValue(first.value);
  const column = first.inner;
  const rows: readonly AwsAuthRow[] = [{ ...first, column }, ...rest];
  const fields = groupsOf(rows, (row) => row.is === "field" && row.column === column);
  return tryFields(fields.map(([head, ...deeper]) => [head?.key ?? "", tryField(head, deeper)]));
}

/** A map of fields. A key that is null has no name in JSON, and two of one name have two values. */
function tryFields(fields: readonly (readonly [key: string, value: unknown])[]): unknown {
  if (fields.some(([key, value]) => value === undefined || /^(?:null)?$/i.test(key)))
    return undefined;
  const named = new Map(fields.map(([key, value]) => [unquoted(key), value]));
  return named.size === fields.length ? Object.fromEntries(named) : undefined;
}

/** The value of a field, from its own line and the deeper ones. */
function tryField(head: AwsAuthRow | undefined, deeper: readonly AwsAuthRow[]): unknown {
  if (head === undefined) return undefined;
  if (/^[>|]-$/.test(head.value)) return tryBlock(head, deeper);
  const rows = deeper.filter(isContent);
  const [first] = rows;
  if (first === undefined) return tryValue(head.value);
  const isOwn = head.value === "" && first.column >= head.column && rows.every(alike(first));
  if (!isOwn) return undefined;
  return first.is === "item" ? tryList(rows) : tryMap(rows, head);
}

const alike =
  (one: AwsAuthRow) =>
  ({ is, column }: AwsAuthRow): boolean =>
    is === one.is && column === one.column;

const tryList = (rows: readonly AwsAuthRow[]): unknown => {
  const values = rows.map(({ key, value }) => (key === "" ? tryValue(value) : undefined));
  return values.includes(undefined) ? undefined : values;
};

function tryMap(rows: readonly AwsAuthRow[], head: AwsAuthRow): unknown {
  const [first] = rows;
  if (first === undefined || first.column === head.column) return undefined;
  if (first.is === "value") return rows.length === 1 ? tryValue(first.value) : undefined;
  return tryFields(rows.map(({ key, value }) => [key, tryValue(value)]));
}

/** The text of a block that is one line, in which nothing is a quote or a comment. A deeper blank line would be text of it too. */
function tryBlock(head: AwsAuthRow, [first, ...rest]: readonly AwsAuthRow[]): unknown {
  if (first?.is !== "value" || first.column <= head.column) return undefined;
  const goesOn = rest.some((row) => isContent(row) || row.column > head.column);
  if (first.tail !== "" || goesOn) return undefined;
  return first.value;
}
