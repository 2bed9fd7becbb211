import { type Document, isCollection, isScalar, type Node, visit } from "yaml";
import type { Doubt } from "./doubt.ts";
import { lineStart } from "./splice.ts";

interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: "brackets" | "scalar";
}

/** Finds tabs that indent. Some readers take them for spaces; the authenticator drops the whole text. */
export function tabDoubts(text: string, documents: readonly Document.Parsed[]): readonly Doubt[] {
  const tabs = [...text.matchAll(/\t+/g)].map(({ index }) => index);
  if (tabs.length === 0) return [];
  const spans = documents.flatMap(spansOf);
  return tabs
    .filter((tab) => {
      const around = spans.findLast(({ start, end }) => start < tab && tab < end);
      return indents(text, tab, around?.kind);
    })
    .map((offset) => ({ offset, what: "a tab that indents" }));
}

/** Where the brackets and the scalars of a document are, the outer ones first. */
function spansOf(document: Document.Parsed): readonly Span[] {
  const spans: Span[] = [];
  visit(document, {
    Node(_, node) {
      const [start = 0, end = 0] = node.range ?? [];
      const kind = kindOf(node);
      if (kind !== undefined) spans.push({ start, end, kind });
    },
  });
  return spans;
}

function kindOf(node: Node): Span["kind"] | undefined {
  if (isCollection(node)) return node.flow === true ? "brackets" : undefined;
  return isScalar(node) ? "scalar" : undefined;
}

function indents(text: string, tab: number, around: Span["kind"] | undefined): boolean {
  const line = lineStart(text, tab);
  const before = text.slice(line, tab);
  if (/^ *$/.test(before)) return around !== "brackets" || !endsToken(text, line);
  // After a comment or a value, a tab separates as a space does.
  return (
    around === undefined && /(?:^|[ \t])[-?:][ \t]*$/.test(before) && !/(?:^|[ \t])#/.test(before)
  );
}

/** Whether the line before ends a token: no text goes on, whose indentation the authenticator would look for. */
const endsToken = (text: string, line: number): boolean =>
  line > 0 && /[[\]{},:"'][ \t\r]*$/.test(text.slice(lineStart(text, line - 1), line - 1));
