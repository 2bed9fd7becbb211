import type { PodUid } from "../base/ids.ts";
import {
  between,
  earliest,
  type Instant,
  instant,
  later,
  latest,
  milliseconds,
  seconds,
  shortest,
} from "../base/time.ts";
import { pastThreshold } from "./overdue.ts";
import { isBare, type Pod } from "./pod.ts";
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
  snapshot.now < criticalFrom(snapshot) &&
  hasOrdinary(snapshot);

const ordinary = new WeakMap<Snapshot, boolean>();

/** Whether a pod of the earlier tier holds the node: looked for once, for others may have thousands of critical pods. */
function hasOrdinary(snapshot: Snapshot): boolean {
  const known = ordinary.get(snapshot);
  if (known !== undefined) return known;
  const found = snapshot.pods.some((pod) => !isCritical(pod) && holdsNode(pod, snapshot));
  ordinary.set(snapshot, found);
  return found;
}

/** When the ordinary pods have had their share of the time; the rest is for critical pods and their budgets. */
export function criticalFrom({ marked, begun, deadline, settings }: Snapshot): Instant {
  const from = latest(marked, begun);
  return later(
    from,
    milliseconds(Math.floor((between(from, deadline) * settings.tierPercent) / 100)),
  );
}

/**
 * True for a pod that came in spite of the mark, until the node is seen with its mark again. Without the mark, the
 * replacement of an evicted pod would come to the same node at once.
 */
export const isNewcomer = (
  pod: Pod,
  scene: Scene & { readonly seenSinceMark: ReadonlySet<PodUid> },
): boolean => !scene.seenSinceMark.has(pod.uid) && isActive(pod) && !toleratesMark(pod, scene);

/** True for a pod of a controller that came during the drain, though the mark should have kept it away: something puts it there past the scheduler, and does the same with its replacement. */
const isPastScheduler = (pod: Pod, snapshot: Snapshot): boolean =>
  snapshot.mark === "set" &&
  pod.created > settledAt(snapshot) &&
  !isBare(pod) &&
  isActive(pod) &&
  !toleratesMark(pod, snapshot);

const settledAt = ({ marked, begun, settings }: Snapshot): Instant =>
  later(latest(marked, begun), settings.settle);

// A look at the node takes less time.
const lookTime = seconds(3);

/** Until when a pod waits that came in spite of the mark; a time that has passed for all others. */
export function newcomerWaitsUntil(pod: Pod, snapshot: Snapshot): Instant {
  if (isNewcomer(pod, snapshot)) return lookedAtBy(pod, snapshot);
  return isPastScheduler(pod, snapshot) ? restsInPart(pod, snapshot) : instant(0);
}

// Somebody may have opened the node for a moment, and the pod came by the scheduler.
const longestPart = 10;

/** The end of the rest of a pod that came past the scheduler: a tenth of the drain's time at most, which a pod that came otherwise can do without. */
function restsInPart(pod: Pod, snapshot: Snapshot): Instant {
  const settled = settledAt(snapshot);
  const part = milliseconds(Math.floor(between(settled, snapshot.deadline) / longestPart));
  return earliest(restsUntil(pod, settled, snapshot), later(pod.created, part));
}

/** On a marked node a newcomer waits for a look at the mark, unless it is out of time. Nothing keeps its replacement off an unmarked node. */
const lookedAtBy = (pod: Pod, snapshot: Snapshot): Instant =>
  latest(
    later(pod.created, lookTime),
    snapshot.mark === "set"
      ? pastThreshold(pod, snapshot.deadline)
      : restsUntil(pod, snapshot.begun, snapshot),
  );

/**
 * The end of a rest: half of the time from then to the pod's creation or, if that is less, of the time left, so that the
 * pauses grow and no pod is evicted many times; but never so long that it loses grace.
 */
function restsUntil(pod: Pod, since: Instant, { deadline }: Snapshot): Instant {
  const { created } = pod;
  const outOfTime = pastThreshold(pod, deadline);
  const half = Math.floor(shortest(between(since, created), between(created, deadline)) / 2);
  const rested = later(created, milliseconds(half));
  return created < outOfTime ? earliest(rested, outOfTime) : rested;
}

/**
 * True while a newcomer is not evicted yet, because its replacement might come to the same node.
 */
export const waitsAsNewcomer = (pod: Pod, snapshot: Snapshot): boolean =>
  snapshot.now < newcomerWaitsUntil(pod, snapshot);

// A client that keeps uncordoning does so within this time.
const standing = seconds(5);

/**
 * From when on a repeated mark counts as one that stays. A look at the node before then proves nothing, because whoever
 * has opened the node may do so again.
 */
export const trustedFrom = (markedAgain: Instant): Instant => later(markedAgain, standing);
