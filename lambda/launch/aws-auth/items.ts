import { groupsOf, type Row, rowsOf } from "./rows.ts";
import { tryValue, unquoted } from "./values.ts";

/** The items of a list and its indent, or where readers may disagree. */
export type Items =
  | { readonly kind: "items"; readonly items: readonly unknown[]; readonly indent: string }
  | { readonly kind: "flaw"; readonly where: string };

/** Reads a list of lines: entries, and in their fields texts, lists of texts and maps of texts. */
export function readItems(text: string): Items {
  const rows = rowsOf(text);
  if (typeof rows === "string") return { kind: "flaw", where: rows };
  const first = rows.find(isContent);
  const column = first?.column ?? 0;
  const own = rows.filter(({ at }) => at >= (first?.at ?? 0));
  const groups = groupsOf(own, (row) => row.is === "item" && row.column === column);
  const items = groups.map(tryItem);
  const wrong = items.indexOf(undefined);
  if (wrong < 0) return { kind: "items", items, indent: " ".repeat(column) };
  return { kind: "flaw", where: `the item in line ${groups[wrong]?.[0]?.at}` };
}

const isContent = ({ is }: Row): boolean => is !== "comment";

/** What an item says; `undefined` if readers may disagree. */
function tryItem([first, ...rest]: readonly Row[]): unknown {
  if (first?.is !== "item") return undefined;
  if (first.key === "") return rest.some(isContent) ? undefined : tryValue(first.value);
  const column = first.inner;
  const rows: readonly Row[] = [{ ...first, is: "field", column }, ...rest];
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

/** What a field says, by its own line and the deeper ones. */
function tryField(head: Row | undefined, deeper: readonly Row[]): unknown {
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
  (one: Row) =>
  ({ is, column }: Row): boolean =>
    is === one.is && column === one.column;

const tryList = (rows: readonly Row[]): unknown => {
  const values = rows.map(({ key, value }) => (key === "" ? tryValue(value) : undefined));
  return values.includes(undefined) ? undefined : values;
};

function tryMap(rows: readonly Row[], head: Row): unknown {
  const [first] = rows;
  if (first === undefined || first.column === head.column) return undefined;
  if (first.is === "value") return rows.length === 1 ? tryValue(first.value) : undefined;
  return tryFields(rows.map(({ key, value }) => [key, tryValue(value)]));
}

/** The text of a block that is one line, in which nothing is a quote or a comment. */
function tryBlock(head: Row, [first, ...rest]: readonly Row[]): unknown {
  if (first?.is !== "value" || first.at !== head.at + 1 || first.column <= head.column)
    return undefined;
  const goesOn = rest.some((row) => isContent(row) || row.column > head.column);
  if (first.tail !== "" || goesOn) return undefined;
  return first.value;
}
