import { countOf, type NodeCount } from "../group/node-count.ts";
import type { Sizes } from "../group/scaling-group.ts";
import type { UpgradeOptions } from "./options.ts";

/** The limit of a managed node group. */
const mostUnavailable = 100;

/** The most unavailable nodes in a group of this size: at least one. */
export const nodesOf = (count: NodeCount, size: number): number =>
  Math.max(1, Math.min(mostUnavailable, countOf(count, size)));

type Surging = Pick<UpgradeOptions, "keepOld" | "maxUnavailable" | "strategy" | "surge">;

/**
 * The number of additional nodes of a group during an upgrade: twice the number of its zones, or
 * the most that may be unavailable, if that is more. An upgrade that keeps the old nodes has one more for each.
 */
export function surgeOf(options: Surging, size: number, zones: number): number {
  if (options.strategy === "MINIMAL") return 0;
  if (options.keepOld !== "none") return Math.max(1, size);
  if (options.surge !== "managed") return options.surge;
  return Math.max(2 * zones, nodesOf(options.maxUnavailable, size));
}

/** The number of nodes that are drained at the same time: no more than the surge makes up for. */
export function batchOf(options: Surging, size: number, zones: number): number {
  const most = nodesOf(options.maxUnavailable, size);
  return options.strategy === "MINIMAL" ? most : Math.min(most, surgeOf(options, size, zones));
}

/** The sizes of a group with that many nodes more. The minimum size stays. */
export const raised = ({ max, desired }: Sizes, by: number): Pick<Sizes, "desired" | "max"> => ({
  max: max + by,
  desired: desired + by,
});
