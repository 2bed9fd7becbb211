import { countOf, type NodeCount } from "../group/node-count.ts";
import type { Sizes } from "../group/scaling-group.ts";
import type { UpgradeOptions } from "./options.ts";

/** As many nodes are out at the same time at most, as in a managed node group. */
const mostUnavailable = 100;

/** How many nodes of a group of a size may be out: never less than one. */
export const nodesOf = (count: NodeCount, size: number): number =>
  Math.max(1, Math.min(mostUnavailable, countOf(count, size)));

type Surging = Pick<UpgradeOptions, "maxUnavailable" | "strategy" | "surge">;

/** How many nodes more a group has while it is upgraded: the larger of twice its zones and as many as may be out. */
export function surgeOf(options: Surging, size: number, zones: number): number {
  if (options.strategy === "MINIMAL") return 0;
  if (options.surge !== "managed") return options.surge;
  return Math.max(2 * zones, nodesOf(options.maxUnavailable, size));
}

/** How many nodes are drained at the same time: no more than the surge makes up for. */
export function batchOf(options: Surging, size: number, zones: number): number {
  const most = nodesOf(options.maxUnavailable, size);
  return options.strategy === "MINIMAL" ? most : Math.min(most, surgeOf(options, size, zones));
}

/** The sizes of a group that has that many nodes more than before; its smallest size stays. */
export const raised = ({ max, desired }: Sizes, by: number): Pick<Sizes, "desired" | "max"> => ({
  max: max + by,
  desired: desired + by,
});
