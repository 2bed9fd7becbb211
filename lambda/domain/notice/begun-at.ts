import { between, hours, type Instant, later, milliseconds } from "../time.ts";
import type { Launching, Notice } from "./notice.ts";

// Auto Scaling holds an instance for 48 hours at most.
const longestHold = hours(48);
// Far more than the clocks of AWS ever differ.
const clockSkew = hours(1);

/**
 * A notice's own time; `undefined` when no instance that is held now can have it, as when somebody sends a saved
 * event again.
 */
export function tryOwnTime({ since }: Notice, now: Instant): Instant | undefined {
  const age = between(since, now);
  return age > longestHold || age < -clockSkew ? undefined : since;
}

// The drain of a peer may mark a node some minutes before the notice of that node comes.
const headStart = hours(1);

/** The earliest time of a mark that belongs to this drain and not to an earlier one. */
export function marksCountFrom(notice: Notice, now: Instant): Instant {
  const own = tryOwnTime(notice, now);
  return own === undefined
    ? later(now, milliseconds(-longestHold))
    : later(own, milliseconds(-headStart));
}

/**
 * When a drain began: at the notice's own time, which no crash and no redelivery changes.
 *
 * Where that time cannot be true, the drain began when the node was marked: the mark lasts just as the notice does. A
 * mark that is older than any hold does not count: then the drain begins now.
 */
export function begunAt(notice: Notice, marked: Instant, now: Instant): Instant {
  const lasting = between(marked, now) > longestHold ? now : marked;
  return tryOwnTime(notice, now) ?? lasting;
}

/**
 * When a launch began: at the notice's own time, which no crash and no redelivery changes.
 *
 * Where that time cannot be true, as when somebody sends a saved event again, the launch began when the instance was
 * started. A start that is older than any hold does not count: then the launch begins now.
 */
export function launchBegun(notice: Launching, launched: Instant, now: Instant): Instant {
  const lasting = between(launched, now) > longestHold ? now : launched;
  return tryOwnTime(notice, now) ?? lasting;
}
