import type { Pod } from "../pod/pod.ts";
import { between, type Instant, later, milliseconds } from "../time.ts";
import { holdsNode, isCritical } from "./pod-class.ts";
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
