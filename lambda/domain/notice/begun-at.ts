import { between, hours, type Instant, later, milliseconds } from "../time.ts";
import type { Launching, Notice } from "./notice.ts";

// Auto Scaling holds an instance for 48 hours at most.
const longestHold = hours(48);
// Far more than clocks of AWS ever differ.
const clockSkew = hours(1);

/**
 * A notice's own time; `undefined` when it cannot be true of an instance that is held now, as that of a
 * saved event that is sent again.
 */
export function tryOwnTime({ since }: Notice, now: Instant): Instant | undefined {
  const age = between(since, now);
  return age > longestHold || age < -clockSkew ? undefined : since;
}

// Peers mark each other's nodes before their notices come, by minutes.
const headStart = hours(1);

/** From when on a mark may be one of this drain, and not of an earlier one. */
export function marksCountFrom(notice: Notice, now: Instant): Instant {
  const own = tryOwnTime(notice, now);
  return own === undefined
    ? later(now, milliseconds(-longestHold))
    : later(own, milliseconds(-headStart));
}

/**
 * From when on a drain's time counts: the notice's own time, which no crash and no redelivery moves.
 *
 * Where that cannot be true the node's mark counts, which is as lasting, unless it is itself older than any hold.
 */
export function begunAt(notice: Notice, marked: Instant, now: Instant): Instant {
  const lasting = between(marked, now) > longestHold ? now : marked;
  return tryOwnTime(notice, now) ?? lasting;
}

/**
 * From when on a launch's time counts: the notice's own time, which no crash and no redelivery moves.
 *
 * Where that cannot be true, as of a saved event that is sent again, the time counts at which the instance was
 * started, unless that is older than any hold.
 */
export function launchBegun(notice: Launching, launched: Instant, now: Instant): Instant {
  const lasting = between(launched, now) > longestHold ? now : launched;
  return tryOwnTime(notice, now) ?? lasting;
}
