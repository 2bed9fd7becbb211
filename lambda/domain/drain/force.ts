import type { Pod } from "../pod/pod.ts";
import {
  between,
  type Duration,
  type Instant,
  later,
  longest,
  milliseconds,
  seconds,
  shortest,
  wholeSeconds,
} from "../time.ts";

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
