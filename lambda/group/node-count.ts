/** A number of nodes, or a percentage of the nodes of the group. */
export type NodeCount =
  | { readonly kind: "count"; readonly value: number }
  | { readonly kind: "percentage"; readonly value: number };

/** The number of nodes that a count means in a group; a percentage is rounded down. */
export const countOf = ({ kind, value }: NodeCount, of: number): number =>
  kind === "count" ? value : Math.floor((of * value) / 100);

/** Reads how many nodes: 1 to 100, or a percentage such as `33%`; `undefined` for a text that does not fit. */
export function tryNodeCount(text: string): NodeCount | undefined {
  const [, number = "", percent] = /^(\d{1,3})(%|percent)?$/.exec(text) ?? [];
  const value = Number(number);
  if (value < 1 || value > 100) return undefined;
  return { kind: percent === undefined ? "count" : "percentage", value };
}

/** A number of nodes in the form that a tag allows, without `%`. */
export const countText = ({ kind, value }: NodeCount): string =>
  kind === "count" ? String(value) : `${value}percent`;
