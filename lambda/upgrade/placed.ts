import type { FleetNode } from "./fleet-node.ts";
import type { Candidate } from "./order.ts";
import type { Progress } from "./progress.ts";

/** An old instance, and how far its turns are. */
export interface Placed {
  readonly candidate: Candidate;
  readonly progress: Progress;
}

/** The nodes that are so far. */
export const nodesAt = (placed: readonly Placed[], kind: Progress["kind"]): readonly FleetNode[] =>
  placed.flatMap(({ candidate: { node }, progress }) =>
    node !== "absent" && progress.kind === kind ? [node] : [],
  );
