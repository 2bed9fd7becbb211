import type { Pod } from "../pod/pod.ts";
import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  longest,
  milliseconds,
  never,
  seconds,
  shortest,
  wholeSeconds,
} from "../time.ts";
import type { Snapshot } from "./snapshot.ts";

/** Its grace does not fit before the deadline any more: tiers, protections and budgets hold it no longer. */
export const isOverdue = (pod: Pod, { now, deadline, settings }: Snapshot): boolean =>
  settings.force === "at-deadline" &&
  (pod.termination.kind === "terminating"
    ? outlasts(pod, deadline)
    : isPastThreshold(pod, now, deadline));

/** When the next of some pods is overdue that is not so yet. */
export const nextForce = (pods: readonly Pod[], { now, deadline, settings }: Snapshot): Instant =>
  settings.force === "never"
    ? never
    : earliest(never, ...pods.map((pod) => pastThreshold(pod, deadline)).filter((at) => at > now));

/** Whether a pod's grace no longer fits before the deadline. */
export const isPastThreshold = (pod: Pod, now: Instant, deadline: Instant): boolean =>
  now >= pastThreshold(pod, deadline);

/** The first moment, to the millisecond, at which a pod's grace no longer fits before the deadline. */
export const pastThreshold = ({ grace }: Pod, deadline: Instant): Instant =>
  later(deadline, milliseconds(1 - longest(seconds(1), grace)));

/** Whether a pod that is on its way out would outlast the deadline. */
export const outlasts = (pod: Pod, deadline: Instant): boolean =>
  pod.termination.kind === "terminating" && pod.termination.until > deadline;

/**
 * What is left of a pod's grace before the deadline, never more than its own but never nothing.
 *
 * A grace of 0 takes the pod out of the API without asking its node, so that it may run twice.
 */
export const remainingGrace = (pod: Pod, now: Instant, deadline: Instant): Duration =>
  longest(seconds(1), shortest(pod.grace, seconds(wholeSeconds(between(now, deadline)))));
