import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type Tags,
  type YAMLSeq,
} from "yaml";
import { type Doubt, offsetOf } from "./doubt.ts";
import { doubts } from "./doubts.ts";
import { type AwsAuthEntry, doubtOfItem, tryAwsAuthEntry } from "./entry.ts";
import { Values } from "./values.ts";

/** An entry, and the index of its item in the list. */
export interface ListedEntry extends AwsAuthEntry {
  readonly index: number;
}

/** What `mapRoles` says: a list, or one of the many ways to say nothing. */
export interface AwsAuth {
  readonly form:
    | { readonly kind: "list"; readonly list: YAMLSeq.Parsed }
    /** Something that means an empty list, such as `''`. */
    | { readonly kind: "empty"; readonly node: ParsedNode }
    /** Nothing, or only comments and blank lines. */
    | { readonly kind: "nothing"; readonly from: number };
  /** All items of the list. */
  readonly items: readonly unknown[];
  /** The items that map a role. */
  readonly entries: readonly ListedEntry[];
  /** The number of the line at an offset of the text. */
  readonly line: (offset: number) => number;
}

/** What `mapRoles` says, or why it cannot be read. */
export type AwsAuthReading =
  | ({ readonly kind: "read" } & AwsAuth)
  | { readonly kind: "unreadable"; readonly reason: string };

// Room for 1,600 roles. To edit a text of 1 MiB takes seconds and 200 MB, which the drains in the same process would feel.
const mostCharacters = 262_144;

/**
 * Reads `mapRoles` as the authenticator does: as YAML 1.1, and of several documents only the first.
 *
 * Text that some YAML reader might refuse or read differently counts as unreadable, and so does a very long one.
 */
export function readAwsAuth(text: string): AwsAuthReading {
  const tooLong = tryTooLong(text);
  return tooLong === undefined ? parsed(text) : { kind: "unreadable", reason: tooLong };
}

/** Why a text of `mapRoles` is too long; `undefined` if it is not. */
export function tryTooLong({ length }: string): string | undefined {
  const most = `more than the ${mostCharacters} that the function edits`;
  const wayOut = "give the role an access entry, or remove entries that nobody needs";
  return length > mostCharacters ? `${length} characters are ${most}: ${wayOut}` : undefined;
}

function parsed(text: string): AwsAuthReading {
  const lines = new LineCounter();
  const documents: readonly Document.Parsed[] = parseAllDocuments(text, {
    version: "1.1",
    customTags,
    uniqueKeys: false,
    keepSourceTokens: true,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
  });
  const line = (offset: number): number => lines.linePos(offset).line || 1;
  const flaw = firstFlaw(text, documents);
  if (flaw !== undefined) return unreadable(line(flaw.offset), flaw.what);
  const [first] = documents;
  return first === undefined ? nothing(0, line) : readDocument(first, line);
}

/** The number of the line in which an entry begins. */
export function lineOf({ index }: ListedEntry, { form, line }: AwsAuth): number {
  const item = form.kind === "list" ? form.list.items[index] : undefined;
  return line(offsetOf(item));
}

const unreadable = (line: number, what: string): AwsAuthReading => ({
  kind: "unreadable",
  reason: `line ${line}: ${what}`,
});

// The authenticator knows no times of day and no sets, and reads a date as text.
const known = /:(?:null|bool|int|float|str|seq|map|merge)$/;
const customTags = (tags: Tags): Tags =>
  tags.filter(
    (tag) =>
      typeof tag === "object" && "tag" in tag && known.test(tag.tag) && tag.format !== "TIME",
  );

function firstFlaw(text: string, documents: readonly Document.Parsed[]): Doubt | undefined {
  const errors = documents
    .flatMap((document) => document.errors)
    .map(({ pos, message }) => ({ offset: pos[0], what: message }));
  return [...errors, ...doubts(text, documents)].toSorted((a, b) => a.offset - b.offset)[0];
}

type Line = (offset: number) => number;

const nothing = (from: number, line: Line): AwsAuth & { readonly kind: "read" } => ({
  kind: "read",
  form: { kind: "nothing", from },
  items: [],
  entries: [],
  line,
});

function readDocument(document: Document.Parsed, line: Line): AwsAuthReading {
  const { contents } = document;
  if (contents === null) return nothing(document.range[0], line);
  const [start, end] = contents.range;
  if (isSeq(contents)) return readList(contents, line);
  if (!isEmpty(contents)) return unreadable(line(start), "not a list of roles");
  if (start === end) return nothing(start, line);
  return { ...nothing(start, line), form: { kind: "empty", node: contents } };
}

function readList(list: YAMLSeq.Parsed, line: Line): AwsAuthReading {
  const values = new Values();
  const items = values.ofList(list);
  const [doubt] = [...values.doubts, ...itemDoubts(list, items)];
  if (doubt !== undefined) return unreadable(line(doubt.offset), doubt.what);
  return { kind: "read", form: { kind: "list", list }, items, entries: entriesOf(items), line };
}

const itemDoubts = (list: YAMLSeq.Parsed, items: readonly unknown[]): readonly Doubt[] =>
  items.flatMap((item, index) => {
    const what = doubtOfItem(item);
    return what === undefined ? [] : [{ offset: offsetOf(list.items[index]), what }];
  });

const isEmpty = (node: ParsedNode): boolean =>
  isScalar(node)
    ? node.value === null || (node.value === "" && node.type?.startsWith("QUOTE") === true)
    : isMap(node) && node.items.length === 0;

const entriesOf = (items: readonly unknown[]): readonly ListedEntry[] =>
  items.flatMap((item, index) => {
    const entry = tryAwsAuthEntry(item);
    return entry === undefined ? [] : [{ ...entry, index }];
  });
