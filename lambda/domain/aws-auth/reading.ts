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
import { type Doubt, doubts } from "./doubts.ts";
import { type AwsAuthEntry, tryAwsAuthEntry } from "./entry.ts";

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

/**
 * Reads `mapRoles` as the authenticator does: as YAML 1.1, and of several documents only the first.
 *
 * Text that some YAML reader might refuse or read differently counts as unreadable.
 */
export function readAwsAuth(text: string): AwsAuthReading {
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

/** The message of the YAML library, which does not close the quotation mark that it speaks of. */
const spelledOut = (message: string): string =>
  message.replace(/^Missing closing (['"])quote$/, "a text has no closing quotation mark ($1)");

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
    .map(({ pos, message }) => ({ offset: pos[0], what: spelledOut(message) }));
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
  if (isSeq(contents)) return readList(contents, document, line);
  if (!isEmpty(contents)) return unreadable(line(start), "not a list of roles");
  if (start === end) return nothing(start, line);
  return { ...nothing(start, line), form: { kind: "empty", node: contents } };
}

function readList(list: YAMLSeq.Parsed, document: Document.Parsed, line: Line): AwsAuthReading {
  const items = tryItems(document);
  if (items === undefined)
    return unreadable(line(list.range[0]), "an alias of nothing before it, or of itself");
  return { kind: "read", form: { kind: "list", list }, items, entries: entriesOf(items), line };
}

const isEmpty = (node: ParsedNode): boolean =>
  isScalar(node)
    ? node.value === null || (node.value === "" && node.type?.startsWith("QUOTE") === true)
    : isMap(node) && node.items.length === 0;

const mostAliases = 10_000;

function tryItems(document: Document.Parsed): readonly unknown[] | undefined {
  try {
    const items: unknown = document.toJS({ maxAliasCount: mostAliases });
    JSON.stringify(items); // throws if an item contains itself
    return Array.isArray(items) ? items : undefined;
  } catch {
    return undefined;
  }
}

const entriesOf = (items: readonly unknown[]): readonly ListedEntry[] =>
  items.flatMap((item, index) => {
    const entry = tryAwsAuthEntry(item);
    return entry === undefined ? [] : [{ ...entry, index }];
  });
