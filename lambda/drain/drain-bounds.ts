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
} from "../base/time.ts";
import { begunAt, longestEverHeld, type Reception, tryOwnTime } from "../notice/begun-at.ts";
import type { AnyNotice } from "../notice/notice.ts";
import type { Cause } from "./cause.ts";
import {
  type DrainTimeouts,
  holdToComplete,
  longestHold,
  timeToDeadline,
} from "./drain-deadline.ts";
import type { DrainSettings } from "./drain-policy.ts";
import { type Reason, type Reasons, rowOf } from "./reason.ts";

/** The points in time that bound a drain, the same in each of its passes; a launch has such bounds too. */
export interface DrainBounds {
  /** The time from which it counts. */
  readonly begun: Instant;
  /** The time of its notice: later than `begun` if the notice came late. Half of the time from here to the deadline is for budgets. */
  readonly cameAt: Instant;
  /** The time at which it is over, done or not. */
  readonly deadline: Instant;
  /** The time until which its instance stays. Volumes have the time from the deadline to here. */
  readonly heldUntil: Instant;
  /** The longest rest of its notice between two passes. */
  readonly longestRest: Duration;
  /**
   * The shortest length of a pass that begins after the deadline, even if the instance should be
   * gone by then.
   */
  readonly leastTry: Duration;
}

/** The distances of those points in time from the beginning. */
export interface DrainLengths {
  readonly toDeadline: Duration;
  readonly toHeldUntil: Duration;
  readonly longestRest: Duration;
  readonly leastTry: Duration;
}

/** The bounds that a pass knows when it starts. */
export type BoundsAtStart =
  | { readonly kind: "known"; readonly bounds: DrainBounds }
  /** They count from the first receive of the notice, or from an earlier trace, such as the mark of the node. */
  | { readonly kind: "by-receive"; readonly bounds: DrainBounds; readonly lengths: DrainLengths };

/** The longest rest of a notice between two passes, each of which sends a heartbeat to its hook. */
export const longestRestWithin = (heartbeatTimeout: Duration): Duration =>
  milliseconds(heartbeatTimeout / 4);

/** The lengths for an instance that a hook holds for that long. */
export const hookLengths = (
  timeouts: DrainTimeouts,
  heartbeatTimeout: Duration,
  hold = longestHold(heartbeatTimeout),
): DrainLengths => ({
  toDeadline: timeToDeadline(timeouts, hold),
  toHeldUntil: holdToComplete(hold),
  longestRest: longestRestWithin(heartbeatTimeout),
  leastTry: seconds(0),
});

/** The lengths for an instance that no hook holds and that nobody is about to take: its volumes have their time after the deadline. */
export const unheldLengths = (
  { timeout, volumeTimeout }: Pick<DrainSettings, "timeout" | "volumeTimeout">,
  longestRest: Duration,
): DrainLengths => ({
  toDeadline: timeout,
  toHeldUntil: milliseconds(timeout + volumeTimeout),
  longestRest,
  leastTry: minutes(1),
});

/** The bounds of what began at some time. */
export const boundsFrom = (begun: Instant, lengths: DrainLengths): DrainBounds => ({
  begun,
  cameAt: begun,
  deadline: later(begun, lengths.toDeadline),
  heldUntil: later(begun, lengths.toHeldUntil),
  longestRest: lengths.longestRest,
  leastTry: lengths.leastTry,
});

type Came = Pick<Reception, "firstReceived"> & { readonly notice: AnyNotice };

/** The bounds by the notice's own time if that can be true, or else by its first receive. */
export function boundsAtStart(came: Came, lengths: DrainLengths, now: Instant): BoundsAtStart {
  const own = tryOwnTime(came.notice, now);
  const received = begunAt(came.firstReceived, now);
  if (own === undefined)
    return { kind: "by-receive", bounds: boundsFrom(received, lengths), lengths };
  return { kind: "known", bounds: { ...boundsFrom(own, lengths), cameAt: latest(own, received) } };
}

/**
 * The bounds of work on an instance that a hook holds. Where heartbeats are denied, it holds for its timeout alone; an
 * instance that is held after that has had some.
 */
export function boundsUnderHook(
  came: Came,
  hook: { readonly heartbeatTimeout: Duration; readonly heartbeats: "denied" | "missed" | "taken" },
  timeouts: DrainTimeouts,
  now: Instant,
): BoundsAtStart {
  const { heartbeatTimeout, heartbeats } = hook;
  const usual = boundsAlive(came, hookLengths(timeouts, heartbeatTimeout), now);
  if (heartbeats !== "denied") return usual;
  const lengths = hookLengths(timeouts, heartbeatTimeout, heartbeatTimeout);
  const once = boundsAtStart(came, lengths, now);
  return now < once.bounds.heldUntil ? once : usual;
}

/**
 * The bounds under a hook that takes heartbeats. By the time of its notice, which is its sender's word, the hold may be nearly
 * over: it has room for a whole drain from the first receive all the same.
 */
function boundsAlive(came: Came, lengths: DrainLengths, now: Instant): BoundsAtStart {
  const { kind, bounds } = boundsAtStart(came, lengths, now);
  // Of what is left to a late drain, half is for its pods.
  const room = shortest(lengths.toHeldUntil, milliseconds(lengths.toDeadline * 2));
  const least = later(begunAt(came.firstReceived, now), room);
  const held = { ...bounds, heldUntil: latest(bounds.heldUntil, least) };
  return kind === "known" ? { kind, bounds: held } : { kind, bounds: held, lengths };
}

/** The time at which the function gives up a hook that it cannot complete: some passes have tried it since the deadline. */
export const letsGoFrom = ({ bounds: { deadline, longestRest } }: BoundsAtStart): Instant =>
  later(deadline, longestRest);

/** The bounds once a trace of the drain is found. The trace counts only if the notice has no time of its own and the trace is earlier. */
export const boundsByTrace = (start: BoundsAtStart, trace: Instant, now: Instant): DrainBounds =>
  start.kind === "known"
    ? start.bounds
    : boundsFrom(earliest(start.bounds.begun, begunAt(trace, now)), start.lengths);

/** The time within which a failed pass is repeated: less towards the deadline, because pods may still have to be forced. */
export function retryWithin(start: BoundsAtStart, now: Instant): Duration {
  const left = between(now, start.bounds.deadline);
  return shortest(start.bounds.longestRest, longest(seconds(1), milliseconds(left / 10)));
}

// Peers mark each other's nodes before their notices come, by minutes.
const markTolerance = hours(1);

/** The earliest time of a mark that can belong to a drain that began at this time. */
export const marksCountSince = (begun: Instant): Instant =>
  later(begun, milliseconds(-markTolerance));

/** The earliest time of a mark that can belong to this drain, and not to an earlier one. */
export const marksCountFrom = (start: BoundsAtStart, now: Instant): Instant =>
  start.kind === "known"
    ? marksCountSince(start.bounds.begun)
    : later(now, milliseconds(-longestEverHeld));

/** The earliest deadline of a mark that can belong to this drain: an earlier one belongs to an earlier drain. */
export const deadlinesCountFrom = (start: BoundsAtStart, now: Instant): Instant =>
  start.kind === "known" ? start.bounds.begun : marksCountFrom(start, now);

/** Why a drain marks its node, and until when. If the instance is not about to end, there is no deadline. */
export const causeOf = (reason: Reason, start: BoundsAtStart, reasons: Reasons): Cause => ({
  reason,
  deadline: rowOf(reason, reasons).instance === "stays" ? never : start.bounds.deadline,
});

/**
 * The bounds of a drain whose mark tells when it has to be over. A deadline later than its own counts only for a reason
 * that prolongs drains, as far as the instance is held and its volumes have their time.
 */
export function markedBounds(
  bounds: DrainBounds,
  { reason, deadline }: Cause,
  { volumeTimeout }: Pick<DrainTimeouts, "volumeTimeout">,
  reasons: Reasons,
): DrainBounds {
  const held = later(bounds.heldUntil, milliseconds(-volumeTimeout));
  const last =
    rowOf(reason, reasons).deadline === "prolongs"
      ? latest(bounds.deadline, held)
      : bounds.deadline;
  return { ...bounds, deadline: earliest(deadline, last) };
}

/** The bounds at the start, or those by the mark where these are later, so that a fault ends no drain before its time. */
export const prolonged = (start: BoundsAtStart, bounds: DrainBounds): BoundsAtStart =>
  bounds.deadline > start.bounds.deadline ? { kind: "known", bounds } : start;

// Longer than conflicts last, or an API server takes to restart.
const markTime = minutes(1);

/**
 * From when on a node is drained though it could not be marked: without evictions its pods would end unasked.
 * Where only the receive tells the begin that is at once, for perhaps no further pass comes, or each counts from its own begin.
 */
export function goesUnmarkedFrom({ kind, bounds: { begun, deadline } }: BoundsAtStart): Instant {
  if (kind === "by-receive") return begun;
  return later(begun, shortest(markTime, milliseconds(between(begun, deadline) / 4)));
}
