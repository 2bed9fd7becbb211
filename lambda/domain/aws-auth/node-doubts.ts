import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from "yaml";
import { doubtOfScalar } from "./scalar-doubts.ts";

/** Where a node is in its document. */
export interface NodePlace {
  readonly text: string;
  readonly parent: unknown;
  /** Whether the node is inside brackets or braces, however deep. */
  readonly inBrackets: boolean;
}

/** What YAML readers may read differently in a node, if anything. */
export function doubtOfNode(node: Node, place: NodePlace): string | undefined {
  const name = isAlias(node) ? node.source : (node.anchor ?? "none");
  if (!/^[\w-]+$/.test(name)) return `the anchor ${name}`;
  if (node.tag !== undefined) return `the tag ${node.tag}`;
  return isScalar(node)
    ? doubtOfScalar(node, place.text, place.inBrackets ? "in brackets" : "in lines")
    : doubtOfCollection(node, place.parent);
}

const doubtOfCollection = (node: Node, parent: unknown): string | undefined =>
  isMap(node) && node.srcToken?.type !== "flow-collection" && isSeq(parent) && parent.flow === true
    ? "a pair without braces"
    : undefined;

/** What YAML readers may read differently in a key, or between it and its value. */
export function doubtOfPair(pair: Pair, parent: unknown, text: string): string | undefined {
  // The authenticator converts YAML to JSON, which has no keys but text; the symbol is a merge key.
  if (!isScalar(pair.key) || !["string", "symbol"].includes(typeof pair.key.value))
    return "a key that is no text";
  const { start = [], sep = [] } = pair.srcToken ?? {};
  const site: KeySite = {
    key: pair.key,
    isExplicit: start.some(({ type }) => type === "explicit-key-ind"),
    inBraces: isMap(parent) && parent.flow === true,
  };
  const colon = sep.find(({ type }) => type === "map-value-ind");
  return colon === undefined ? doubtOfNoColon(sep, site) : doubtOfColon(colon.offset, site, text);
}

interface KeySite {
  readonly key: Scalar;
  /** Whether a question mark is before the key. */
  readonly isExplicit: boolean;
  readonly inBraces: boolean;
}

function doubtOfNoColon(
  sep: readonly { readonly type: string }[],
  { isExplicit, inBraces }: KeySite,
): string | undefined {
  if (isExplicit) return "a question mark before a key without a value";
  return inBraces && sep.some(({ type }) => type === "anchor" || type === "tag")
    ? "an anchor or a tag of nothing"
    : undefined;
}

function doubtOfColon(at: number, site: KeySite, text: string): string | undefined {
  const { key, isExplicit, inBraces } = site;
  if (!isExplicit && isFar(text.slice(key.range?.[0], at))) return "a colon far from its key";
  return inBraces && key.type === "PLAIN" && /[,[\]{}]/.test(text.charAt(at + 1))
    ? "a colon without a space after it"
    : undefined;
}

// The authenticator looks no further than 1,024 characters for the colon after a key, and only on one line.
const isFar = (before: string): boolean => before.includes("\n") || before.length > 1000;
