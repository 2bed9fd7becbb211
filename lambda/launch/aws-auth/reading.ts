import { type AwsAuthEntry, tryAwsAuthEntry } from "./entry.ts";
import { readItems } from "./items.ts";
import { flawAt } from "./rows.ts";
import { json, jsonBeginning, nothing, start, strange } from "./shape.ts";
import { tryJson } from "./values.ts";

/** What `mapRoles` says: nothing, or a list in one of the two forms that may be appended to. */
export interface AwsAuth {
  readonly form:
    | { readonly kind: "nothing" }
    | { readonly kind: "json" }
    /** A list of lines, of which all items have an indent. */
    | { readonly kind: "lines"; readonly indent: string };
  /** The items that map a role. */
  readonly entries: readonly AwsAuthEntry[];
}

/** What `mapRoles` says, or why it cannot be read. */
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

/** The number of the line at an offset of a text. */
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
