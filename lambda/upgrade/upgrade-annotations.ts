import { upgradeCordonAnnotation } from "../drain/marking.ts";
import type { Node } from "../drain/node.ts";
import { blockedAnnotation, turnAnnotation } from "../drain/upgrade-turn.ts";

/** The annotations by which an upgrade remembers what it has done with a node; each begins with the id of the upgrade. */
export const upgradeAnnotations = {
  /** On the first node of a group: which upgrade is about to write its first tags, and since when. */
  claimed: "eks-node-lifecycle/upgrade-claimed",
  /** On a new node that has been validated. */
  validated: "eks-node-lifecycle/upgrade-validated",
  /** On a new node when it is this upgrade that keeps Cluster Autoscaler from removing it. */
  kept: "eks-node-lifecycle/upgrade-kept",
  /** On an old node when its cordon is this upgrade's. */
  cordoned: upgradeCordonAnnotation,
  /** On an old node: how many of its pods a drain would have evicted when that was first asked, for the order `emptiest`. */
  pods: "eks-node-lifecycle/upgrade-pods",
  turn: turnAnnotation,
  blocked: blockedAnnotation,
  /** On an old node that the upgrade has drained: in which of its turns, and when. What other drains write of their end does not count. */
  drained: "eks-node-lifecycle/upgrade-drained",
} as const;

/** What an annotation says after the id of this upgrade; `undefined` when it is absent or of another upgrade. */
export function ownValue(
  { annotations }: Pick<Node, "annotations">,
  key: string,
  id: string,
): string | undefined {
  const text = annotations[key];
  return text?.startsWith(`${id} `) ? text.slice(id.length + 1) : undefined;
}
