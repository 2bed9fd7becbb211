import type { Annotated } from "../drain/node.ts";
import { reasonRow } from "../drain/reason.ts";

/** On an old node that an upgrade drains: the upgrade's ID, the number of the attempt, and when it began. */
export const attemptAnnotation = "eks-node-lifecycle/upgrade-turn";

/**
 * On an old node whose pods did not leave in time: the upgrade's ID, the number of the attempt (or `aside`, if the upgrade has
 * set it aside), and what was left.
 */
export const blockedAnnotation = "eks-node-lifecycle/upgrade-blocked";

/** Present when an upgrade has cordoned the node, which may be long before its first attempt. */
export const upgradeCordonAnnotation = "eks-node-lifecycle/upgrade-cordoned";

/** Whether an upgrade drains a node or has drained it: an attempt has begun, and the upgrade has not given the node up. */
export function hasAttempt({ annotations }: Annotated): boolean {
  const [id, number] = annotations[attemptAnnotation]?.split(" ") ?? [];
  const isBlocked = annotations[blockedAnnotation]?.startsWith(`${id} ${number} `) ?? false;
  return id !== undefined && !isBlocked;
}

/** The reason of drains in an upgrade, which opens its nodes itself. */
export const upgraded = reasonRow("upgraded", {
  opener: { called: "upgrade", cordonAnnotation: upgradeCordonAnnotation, keeps: hasAttempt },
});
