import type { PodUid } from "../ids.ts";
import type { Pod } from "../pod/pod.ts";
import { between, type Instant, later, milliseconds, seconds } from "../time.ts";
import { isPastThreshold } from "./overdue.ts";
import { holdsNode, isActive, isCritical, type Scene, toleratesMark } from "./pod-class.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * Whether a pod has to wait for the earlier tier. All of these:
 * - there are tiers, and the pod is in the later one;
 * - the earlier tier still has time;
 * - a pod of the earlier tier still holds the node.
 */
export const waitsForTier = (pod: Pod, snapshot: Snapshot): boolean =>
  snapshot.settings.tiers === "critical-last" &&
  isCritical(pod) &&
  snapshot.now < criticalTurn(snapshot) &&
  snapshot.pods.some((other) => !isCritical(other) && holdsNode(other, snapshot));

/** When the ordinary pods have had their share of the time; the rest is for critical pods and their budgets. */
export const criticalTurn = ({ marked, deadline, settings }: Snapshot): Instant =>
  later(marked, milliseconds(Math.floor((between(marked, deadline) * settings.tierPercent) / 100)));

/**
 * Whether a pod has come though the mark keeps such pods away, and nobody has seen since then that the node still has
 * its mark. Somebody may have opened the node: then the replacement of the pod would come to it at once.
 */
export const isNewcomer = (
  pod: Pod,
  scene: Scene & { readonly vouched: ReadonlySet<PodUid> },
): boolean => !scene.vouched.has(pod.uid) && isActive(pod) && !toleratesMark(pod, scene);

// A look at the node takes less time. A pod that is out of time waits no longer for it.
const patience = seconds(3);

/** When a newcomer that is out of time no longer waits for the drain to look at the node. */
export const lookEnds = ({ created }: Pod): Instant => later(created, patience);

/** Whether the drain looks at the node, and marks it again if somebody has opened it, before it evicts the pod. */
export const waitsForLook = (pod: Pod, snapshot: Snapshot): boolean =>
  isNewcomer(pod, snapshot) &&
  !(isPastThreshold(pod, snapshot.now, snapshot.deadline) && snapshot.now >= lookEnds(pod));

// Whoever opens a node again and again has done so by then.
const standing = seconds(5);

/**
 * From when on a repeated mark counts as one that stays. A look at the node before then proves nothing, because whoever
 * has opened the node may do so again.
 */
export const staysFrom = (markedAgain: Instant): Instant => later(markedAgain, standing);
