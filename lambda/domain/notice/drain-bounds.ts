import type { DrainSettings } from "../drain/drain-policy.ts";
import type { Cause, Reason } from "../node/cause.ts";
import {
  between,
  type Duration,
  earliest,
  hours,
  type Instant,
  later,
  latest,
  longest,
  milliseconds,
  minutes,
  never,
  seconds,
  shortest,
} from "../time.ts";
import { begunAt, longestEverHeld, tryOwnTime } from "./begun-at.ts";
import { type DrainTimeouts, holdToComplete, timeToDeadline } from "./drain-deadline.ts";
import type { Notice } from "./notice.ts";

/** The points in time that bound a drain, the same in each of its passes; a launch has such bounds too. */
export interface DrainBounds {
  /** From when on its time counts. */
  readonly begun: Instant;
  /** When it is over, done or not. */
  readonly deadline: Instant;
  /** Until when its instance stays: the time between the deadline and then is for volumes. */
  readonly heldUntil: Instant;
  /** How long its notice rests between two passes at most. */
  readonly longestRest: Duration;
}

/** How far those points in time lie from the begin. */
export interface DrainLengths {
  readonly toDeadline: Duration;
  readonly toHeldUntil: Duration;
  readonly longestRest: Duration;
}

/** What a pass knows of the bounds when it starts. */
export type BoundsAtStart =
  | { readonly kind: "known"; readonly bounds: DrainBounds }
  /** Nobody knows the begin yet: a trace will tell it, such as the mark of the node. */
  | { readonly kind: "begin-unknown"; readonly lengths: DrainLengths };

/** How long a notice rests at most between two passes, each of which sends a heartbeat to its hook. */
export const longestRestWithin = (heartbeatTimeout: Duration): Duration =>
  milliseconds(heartbeatTimeout / 4);

/** The lengths for an instance that a hook holds. */
export const hookLengths = (timeouts: DrainTimeouts, heartbeatTimeout: Duration): DrainLengths => ({
  toDeadline: timeToDeadline(timeouts, heartbeatTimeout),
  toHeldUntil: holdToComplete(heartbeatTimeout),
  longestRest: longestRestWithin(heartbeatTimeout),
});

/** The lengths for an instance that no hook holds and that nobody is about to take: its volumes have their time after the deadline. */
export const unheldLengths = (
  { timeout, volumeTimeout }: Pick<DrainSettings, "timeout" | "volumeTimeout">,
  longestRest: Duration,
): DrainLengths => ({
  toDeadline: timeout,
  toHeldUntil: milliseconds(timeout + volumeTimeout),
  longestRest,
});

/** The bounds of what began at some time. */
export const boundsFrom = (begun: Instant, lengths: DrainLengths): DrainBounds => ({
  begun,
  deadline: later(begun, lengths.toDeadline),
  heldUntil: later(begun, lengths.toHeldUntil),
  longestRest: lengths.longestRest,
});

/** The bounds as a notice tells them by its own time, if that can be true. */
export function boundsAtStart(notice: Notice, lengths: DrainLengths, now: Instant): BoundsAtStart {
  const own = tryOwnTime(notice, now);
  return own === undefined
    ? { kind: "begin-unknown", lengths }
    : { kind: "known", bounds: boundsFrom(own, lengths) };
}

/** The bounds once a trace of the drain is found; it counts only where the begin was unknown. */
export const boundsByTrace = (start: BoundsAtStart, trace: Instant, now: Instant): DrainBounds =>
  start.kind === "known" ? start.bounds : boundsFrom(begunAt(trace, now), start.lengths);

/** The deadline as far as it is known when a pass starts. */
export const deadlineAtStart = (start: BoundsAtStart): Instant =>
  start.kind === "known" ? start.bounds.deadline : never;

/** How long a notice rests at most, whether the begin is known or not. */
export const longestRestOf = (start: BoundsAtStart): Duration =>
  start.kind === "known" ? start.bounds.longestRest : start.lengths.longestRest;

/** Within what time a broken pass is repeated: ever sooner towards the deadline, for pods may still have to be forced. */
export function retryWithin(start: BoundsAtStart, now: Instant): Duration {
  const left = between(now, deadlineAtStart(start));
  return shortest(longestRestOf(start), longest(seconds(1), milliseconds(left / 10)));
}

// Peers mark each other's nodes before their notices come, by minutes.
const headStart = hours(1);

/** From when on a mark may be one of this drain, and not of an earlier one. */
export const marksCountFrom = (start: BoundsAtStart, now: Instant): Instant =>
  start.kind === "known"
    ? later(start.bounds.begun, milliseconds(-headStart))
    : later(now, milliseconds(-longestEverHeld));

/** From when on the deadline of a mark may be one of this drain: one that had passed before is of an earlier drain. */
export const deadlinesCountFrom = (start: BoundsAtStart, now: Instant): Instant =>
  start.kind === "known" ? start.bounds.begun : marksCountFrom(start, now);

/** The reasons of drains after which the instance stays: EC2 may never interrupt it, or a person drains its node or its zone. */
const staying: readonly Reason[] = ["at-risk", "requested", "evacuated"];

/** Why the mark of a drain is set, and until when. Where nobody takes the instance, the mark tells no deadline. */
export const causeOf = (reason: Reason, start: BoundsAtStart, now: Instant): Cause => ({
  reason,
  deadline: staying.includes(reason) ? never : boundsByTrace(start, now, now).deadline,
});

/**
 * The bounds of a drain whose mark tells when it has to be over. A deadline later than its own counts only for a repair,
 * as far as the instance is held and its volumes have their time.
 */
export function markedBounds(
  bounds: DrainBounds,
  { reason, deadline }: Cause,
  { volumeTimeout }: Pick<DrainTimeouts, "volumeTimeout">,
): DrainBounds {
  const held = later(bounds.heldUntil, milliseconds(-volumeTimeout));
  const last = reason === "ill" ? latest(bounds.deadline, held) : bounds.deadline;
  return { ...bounds, deadline: earliest(deadline, last) };
}

/** The bounds at the start, or those by the mark where these are later, so that a fault ends no drain before its time. */
export const prolonged = (start: BoundsAtStart, bounds: DrainBounds): BoundsAtStart =>
  bounds.deadline > deadlineAtStart(start) ? { kind: "known", bounds } : start;

// Longer than conflicts last, or an API server takes to start anew.
const patienceWithMark = minutes(1);

/**
 * From when on a node is drained though it could not be marked: without evictions its pods would end unasked.
 * Where the begin is unknown that is now, for only a mark would let the next pass know it.
 */
export function goesUnmarkedFrom(start: BoundsAtStart, now: Instant): Instant {
  if (start.kind === "begin-unknown") return now;
  const { begun, deadline } = start.bounds;
  return later(begun, shortest(patienceWithMark, milliseconds(between(begun, deadline) / 4)));
}
