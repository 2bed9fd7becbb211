import { between, hours, type Instant, never, unlessAhead } from "../base/time.ts";
import type { AnyNotice } from "./notice.ts";

/** The longest time for which Auto Scaling ever holds an instance. */
export const longestEverHeld = hours(48);
// Far more than clocks of AWS ever differ.
const clockSkew = hours(1);

/** The reception of a notice. */
export interface Reception {
  /** The receive count. */
  readonly receives: number;
  /** When it was received first; `never` if the queue does not say. */
  readonly firstReceived: Instant;
}

/**
 * A notice's own time, from which the time of a drain or a launch counts: no crash and no redelivery moves it.
 *
 * It is `undefined` when it cannot be true of an instance that is held now, as that of a saved event that is sent again.
 */
export function tryOwnTime({ since }: AnyNotice, now: Instant): Instant | undefined {
  const age = between(since, now);
  return age > longestEverHeld || age < -clockSkew ? undefined : since;
}

/**
 * When an event was sent. Its sender chooses its time: one that lies after its first receive would make all true events of
 * later days older ones, so it counts as sent then.
 */
export function sentAt(
  { since }: AnyNotice,
  { firstReceived }: Pick<Reception, "firstReceived">,
  now: Instant,
): Instant {
  const received = firstReceived === never ? now : firstReceived;
  return unlessAhead(since, received, received);
}

/**
 * From when on time counts where a notice does not say: from a trace that lasts, such as its first receive, the mark of a
 * node or the launch of an instance. One that is older than any hold, or yet to come, is of something else, and time
 * counts from now.
 */
export function begunAt(trace: Instant, now: Instant): Instant {
  const age = between(trace, now);
  return age > longestEverHeld || age < 0 ? now : trace;
}
