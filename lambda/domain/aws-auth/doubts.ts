import { type Document, isCollection, type Pair, visit } from "yaml";
import { type Doubt, offsetOf } from "./doubt.ts";
import { doubtOfNode, doubtOfPair } from "./node-doubts.ts";
import { tabDoubts } from "./tabs.ts";

/**
 * Finds what the authenticator, which reads YAML 1.1, reads differently from our own YAML reader.
 * @see https://github.com/yaml/go-yaml/tree/v2.4.3
 */
export function doubts(text: string, documents: readonly Document.Parsed[]): readonly Doubt[] {
  return [
    ...inText(text),
    ...tabDoubts(text, documents),
    ...documents.flatMap((one) => inDocument(one, text)),
  ];
}

// Characters that only some readers take for line breaks, and characters that YAML 1.1 does not allow.
const character = /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\ufeff\ufffe\uffff]|\r(?!\n)/gu;
const directive = /^%/gm;
const emptyTag = /!<>/g;
// A document that ends before it has begun.
const emptyEnd = /^(?:[ \t]*(?:#.*)?\r?\n)*\.\.\.(?!\S)/g;

const inText = (text: string): readonly Doubt[] => [
  ...[...text.matchAll(character)].map(({ index }) => ({
    offset: index,
    what: `the character U+${text.charCodeAt(index).toString(16).toUpperCase().padStart(4, "0")}`,
  })),
  ...[...text.matchAll(directive)].map(({ index }) => ({ offset: index, what: "a directive" })),
  ...[...text.matchAll(emptyTag)].map(({ index }) => ({ offset: index, what: "the tag !<>" })),
  ...[...text.matchAll(emptyEnd)].map(([end]) => ({
    offset: end.length - 1,
    what: "the end of a document without a beginning",
  })),
];

function inDocument(document: Document.Parsed, text: string): readonly Doubt[] {
  const found: Doubt[] = [];
  const note = (node: unknown, what: string | undefined) => {
    if (what !== undefined) found.push({ offset: offsetOf(node), what });
  };
  visit(document, {
    Pair: (_, pair: Pair, path) => note(pair.key, doubtOfPair(pair, path.at(-1), text)),
    Node: (_, node, path) => {
      const inBrackets = path.some((it) => isCollection(it) && it.flow === true);
      note(node, doubtOfNode(node, { text, parent: path.at(-1), inBrackets }));
    },
  });
  return found;
}
