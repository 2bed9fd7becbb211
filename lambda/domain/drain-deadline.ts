import type { DrainSettings } from "./drain-policy.ts";
import {
  type Duration,
  earliest,
  hours,
  type Instant,
  later,
  milliseconds,
  seconds,
  shortest,
} from "./time.ts";

// What completing the hook may take.
const completionMargin = seconds(15);

/**
 * The latest point at which a hook still holds its instance, however often it hears a heartbeat.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html
 */
export const longestHold = (heartbeatTimeout: Duration): Duration =>
  shortest(hours(48), milliseconds(heartbeatTimeout * 100));

/** When a drain is over, done or not: after its own timeout, but in time for volumes and completion before the hook lets go. */
export function drainDeadline(
  begun: Instant,
  { timeout, volumeTimeout }: Pick<DrainSettings, "timeout" | "volumeTimeout">,
  heartbeatTimeout: Duration,
): Instant {
  const reserved = milliseconds(longestHold(heartbeatTimeout) - completionMargin - volumeTimeout);
  return earliest(later(begun, timeout), later(begun, reserved));
}
