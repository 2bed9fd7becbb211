import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  visit,
} from "yaml";

/** A place in a text that one YAML reader accepts and another refuses or reads differently. */
export interface Doubt {
  readonly offset: number;
  readonly what: string;
}

/**
 * Finds what the authenticator, which reads YAML 1.1, reads differently from our own YAML reader.
 * @see https://github.com/yaml/go-yaml/tree/v2
 */
export function doubts(text: string, documents: readonly Document.Parsed[]): readonly Doubt[] {
  return [
    ...inText(text),
    ...inTabs(text, documents),
    ...documents.flatMap((one) => inDocument(one, text)),
  ];
}

// Characters that only some readers take for line breaks, and characters that YAML 1.1 does not allow.
const character = /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\ufeff\ufffe\uffff]|\r(?!\n)/gu;
const directive = /^%/gm;
// A document that ends before it has begun.
const emptyEnd = /^(?:[ \t]*(?:#.*)?\r?\n)*\.\.\.(?!\S)/g;

const inText = (text: string): readonly Doubt[] => [
  ...[...text.matchAll(character)].map(({ index }) => ({
    offset: index,
    what: `the character U+${text.charCodeAt(index).toString(16).toUpperCase().padStart(4, "0")}`,
  })),
  ...[...text.matchAll(directive)].map(({ index }) => ({ offset: index, what: "a directive" })),
  ...[...text.matchAll(emptyEnd)].map(([end]) => ({
    offset: end.length - 1,
    what: "the end of a document without a beginning",
  })),
];

/** Finds tabs that indent: those at the beginning of a line that are not inside brackets or a scalar. */
function inTabs(text: string, documents: readonly Document.Parsed[]): readonly Doubt[] {
  const tabs = [...text.matchAll(/^ *\t/gm)].map(({ index }) => index);
  if (tabs.length === 0) return [];
  const shelters: (readonly [number, number])[] = [];
  for (const document of documents)
    visit(document, {
      Node(_, node) {
        if (isScalar(node) || (isCollection(node) && node.flow === true))
          shelters.push([startOf(node), node.range?.[1] ?? 0]);
      },
    });
  return tabs
    .filter((tab) => !shelters.some(([start, end]) => start < tab && tab < end))
    .map((offset) => ({ offset, what: "a tab that indents" }));
}

function inDocument(document: Document.Parsed, text: string): readonly Doubt[] {
  const found: Doubt[] = [];
  const note = (node: unknown, what: string | undefined) => {
    if (what !== undefined) found.push({ offset: isNode(node) ? startOf(node) : 0, what });
  };
  visit(document, {
    Pair: (_, { key }: Pair) => note(key, doubtOfKey(key)),
    Node: (_, node, path) =>
      note(node, doubtOfNode(node) ?? doubtOfPlace(node, path.at(-1)) ?? doubtOfEnd(node, text)),
  });
  return found;
}

// The authenticator converts YAML to JSON, which has no keys but text, and no number that is infinite or NaN.
const doubtOfKey = (key: unknown): string | undefined =>
  isScalar(key) && key.value !== null ? undefined : "a key that is no text";

function doubtOfNode(node: Node): string | undefined {
  const name = isAlias(node) ? node.source : (node.anchor ?? "none");
  if (!/^[\w-]+$/.test(name)) return `the anchor ${name}`;
  if (node.tag !== undefined) return `the tag ${node.tag}`;
  return isScalar(node) ? doubtOfScalar(node) : undefined;
}

function doubtOfScalar({ type, source = "", value }: Scalar): string | undefined {
  if (type === "PLAIN" && source.startsWith(":")) return "a text that begins with a colon";
  if (type === "PLAIN" && /^[-+]?0o/i.test(source)) return "a number of eights";
  const infinite = typeof value === "number" && !Number.isFinite(value);
  return infinite ? "a number that is none" : undefined;
}

const doubtOfPlace = (node: Node, parent: unknown): string | undefined =>
  isMap(node) && node.srcToken?.type !== "flow-collection" && isSeq(parent) && parent.flow === true
    ? "a pair without braces"
    : undefined;

// Readers disagree on whether such a block ends in a line break, unless its header says that it does not.
const doubtOfEnd = (node: Node, text: string): string | undefined =>
  isScalar(node) &&
  node.range?.[1] === text.length &&
  /^[|>](?!\d?-)[^\n]*\n.*[^\n]$/s.test(text.slice(startOf(node)))
    ? "a block of text that ends without a line break"
    : undefined;

const startOf = (node: Node): number => node.range?.[0] ?? 0;
