import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  latest,
  longest,
  milliseconds,
  never,
  seconds,
  shortest,
  wholeSeconds,
} from "../base/time.ts";
import type { Pod } from "./pod.ts";
import { isUnreachable } from "./pod-class.ts";
import type { Snapshot } from "./snapshot.ts";

/** Whether force takes a pod, so that tiers, protections and budgets no longer hold it. */
export const isOverdue = (pod: Pod, snapshot: Snapshot): boolean =>
  snapshot.settings.force === "at-deadline" && snapshot.now >= overdueFrom(pod, snapshot);

/** When force takes a pod; never if it ends in time. */
export const overdueFrom = (pod: Pod, snapshot: Snapshot): Instant =>
  pod.termination.kind === "terminating" ? cutFrom(pod, snapshot) : forcedFrom(pod, snapshot);

/**
 * When the grace of a pod that ends already is cut: in the last second, or at once where its kubelet is silent.
 *
 * The API server counts a shorter grace from the first deletion. Where that end has passed, it gives one second from now: so a
 * pod that has been ending for longer than the time left would be killed at once.
 */
function cutFrom(pod: Pod, { node, now, triesUntil }: Snapshot): Instant {
  if (!outlasts(pod, triesUntil)) return never;
  return isUnreachable(node) ? now : pastThreshold({ grace: seconds(1) }, triesUntil);
}

/** The times of a drain by which it forces pods. */
export type ForceTimes = Pick<Snapshot, "begun" | "deadline" | "budgetGrace">;

/** The time from which nothing holds a pod any more: its grace no longer fits, and the first half of the drain is over. */
export const forcedFrom = ({ grace }: Pick<Pod, "grace">, times: ForceTimes): Instant =>
  latest(
    firstHalfEnds(times),
    pastThreshold({ grace: shortest(grace, times.budgetGrace) }, times.deadline),
  );

/**
 * The end of a drain's first half, until which tiers, protections and budgets hold every pod.
 *
 * Operators of databases ask for graces of hours or a week. Without this, their pods would be forced from the first second.
 */
export const firstHalfEnds = ({
  begun,
  deadline,
}: Pick<ForceTimes, "begun" | "deadline">): Instant =>
  later(begun, milliseconds(Math.ceil(between(begun, deadline) / 2)));

/** Whether half of a drain is too short for a pod's grace, so that force cuts it. */
export const outgrows = (pod: Pick<Pod, "grace">, times: ForceTimes): boolean =>
  pastThreshold(pod, times.deadline) < firstHalfEnds(times);

/** When the next of these pods becomes overdue. */
export const nextForce = (pods: readonly Pod[], snapshot: Snapshot): Instant =>
  snapshot.settings.force === "never"
    ? never
    : earliest(
        never,
        ...pods.map((pod) => overdueFrom(pod, snapshot)).filter((at) => at > snapshot.now),
      );

/** Whether a pod's grace no longer fits before the deadline. */
export const isPastThreshold = (pod: Pod, now: Instant, deadline: Instant): boolean =>
  now >= pastThreshold(pod, deadline);

/** The first moment, to the millisecond, at which a pod's grace no longer fits before the deadline. */
export const pastThreshold = ({ grace }: Pick<Pod, "grace">, deadline: Instant): Instant =>
  later(deadline, milliseconds(1 - longest(seconds(1), grace)));

// A grace counts from the arrival of the request at the API server.
const answerTime = seconds(2);

/**
 * The slack for a pod whose grace was cut to the deadline: the answer's time, and two seconds for a
 * kubelet to remove a pod whose containers have ended.
 */
export const removalSlack = seconds(4);

/** Whether a terminating pod would outlast the deadline, by more than the API server may have needed for an answer. */
export const outlasts = (pod: Pod, deadline: Instant): boolean =>
  pod.termination.kind === "terminating" && pod.termination.until > later(deadline, answerTime);

/**
 * The grace that still fits before the deadline: at most the pod's own, at least one second.
 *
 * A grace of 0 takes the pod out of the API without asking its node, so that it may run twice.
 */
export const remainingGrace = (pod: Pod, now: Instant, deadline: Instant): Duration =>
  longest(seconds(1), shortest(pod.grace, seconds(wholeSeconds(between(now, deadline)))));
