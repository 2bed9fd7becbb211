import type { NodeCount } from "./request.ts";

/** Reads how many nodes: 1 to 100, or a percentage such as `33%`; `undefined` for a text that does not fit. */
export function tryNodeCount(text: string): NodeCount | undefined {
  const [, number = "", percent] = /^(\d{1,3})(%|percent)?$/.exec(text) ?? [];
  const value = Number(number);
  if (value < 1 || value > 100) return undefined;
  return { kind: percent === undefined ? "count" : "percentage", value };
}

/** Writes how many nodes as the tag of a group may say it, which has no `%`. */
export const countText = ({ kind, value }: NodeCount): string =>
  kind === "count" ? String(value) : `${value}percent`;
