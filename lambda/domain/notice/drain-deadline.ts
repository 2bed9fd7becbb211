import type { DrainSettings } from "../drain/drain-policy.ts";
import {
  between,
  type Duration,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
  shortest,
} from "../time.ts";

// What completing the hook may take.
const completionMargin = seconds(15);

/**
 * How long a hook holds its instance at most, however often it hears a heartbeat.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html
 */
export const longestHold = (heartbeatTimeout: Duration): Duration =>
  shortest(hours(48), milliseconds(heartbeatTimeout * 100));

/** Until when a hook can be held that has to be completed in time. */
export const holdEnds = (begun: Instant, heartbeatTimeout: Duration): Instant =>
  later(begun, milliseconds(longestHold(heartbeatTimeout) - completionMargin));

/**
 * When a drain is over, done or not: after its own timeout, but in time for volumes and completion before the
 * hook lets go. Half of the hold is left to the pods in any case.
 */
export function drainDeadline(
  begun: Instant,
  { timeout, volumeTimeout }: Pick<DrainSettings, "timeout" | "volumeTimeout">,
  heartbeatTimeout: Duration,
): Instant {
  const hold = longestHold(heartbeatTimeout);
  const volumes = shortest(volumeTimeout, milliseconds(hold / 2));
  const reserved = milliseconds(hold - completionMargin - volumes);
  return later(begun, shortest(timeout, reserved));
}

// Longer than conflicts last, or an API server takes to start anew.
const patienceWithMark = minutes(1);

/** From when on a node is drained though it could not be marked: without evictions its pods would end unasked. */
export const goesUnmarkedFrom = (begun: Instant, deadline: Instant): Instant =>
  later(begun, shortest(patienceWithMark, milliseconds(between(begun, deadline) / 4)));
