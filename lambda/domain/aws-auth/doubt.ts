import { isNode } from "yaml";

/** A place in a text that one YAML reader accepts and another refuses or reads differently. */
export interface Doubt {
  readonly offset: number;
  readonly what: string;
}

/** The offset at which a node begins. */
export const offsetOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
