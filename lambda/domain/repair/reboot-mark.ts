import type { Marking } from "../node/marking.ts";
import type { Node } from "../node/node.ts";
import { type Instant, timestamp, tryInstantOf } from "../time.ts";

/** How far the reboot of a node is: `draining <boot id> <ISO 8601>`, then `rebooting <boot id> <ISO 8601>`. */
export const repairAnnotation = "eks-node-lifecycle/repair";

/** How far the reboot of a node is. */
export interface RebootMark {
  readonly stage: "draining" | "rebooting";
  /** What the node's boot id was before. */
  readonly bootId: string;
  /** When the stage began. */
  readonly at: Instant;
}

/** What to write to a node at each stage; at the first, this comes besides the mark of its drain. */
export const rebootMarking = ({ stage, bootId, at }: RebootMark): Marking => ({
  labels: {},
  annotations: { [repairAnnotation]: `${stage} ${bootId} ${timestamp(at)}` },
  unschedulable: "as it is",
  taints: "as they are",
});

/** Reads how far the reboot of a node is; `undefined` when it is not rebooted. */
export function tryRebootMark({ annotations }: Pick<Node, "annotations">): RebootMark | undefined {
  const [stage, bootId, time, ...more] = annotations[repairAnnotation]?.split(" ") ?? [];
  const at = tryInstantOf(time ?? "");
  if (bootId === undefined || at === undefined || more.length > 0) return undefined;
  return stage === "draining" || stage === "rebooting" ? { stage, bootId, at } : undefined;
}
