import { type Duration, hours, milliseconds, seconds, shortest } from "../base/time.ts";
import type { DrainSettings } from "./drain-policy.ts";

// What completing the hook may take.
const completionMargin = seconds(15);

/**
 * How long a hook can hold its instance, however many heartbeats it gets.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html
 */
export const longestHold = (heartbeatTimeout: Duration): Duration =>
  shortest(hours(48), milliseconds(heartbeatTimeout * 100));

/** How long a hook that can hold its instance for that long holds it if it has to be completed in time. */
export const holdToComplete = (hold: Duration): Duration => milliseconds(hold - completionMargin);

/** The settings that limit the time of a drain. */
export type DrainTimeouts = Pick<DrainSettings, "timeout" | "volumeTimeout">;

/**
 * How long a drain under a hook may take: its own timeout, but no longer than the hook leaves time for volumes and
 * completion. The pods have half of the hold in any case.
 */
export function timeToDeadline(
  { timeout, volumeTimeout }: DrainTimeouts,
  hold: Duration,
): Duration {
  const volumes = shortest(volumeTimeout, milliseconds(hold / 2));
  return shortest(timeout, milliseconds(holdToComplete(hold) - volumes));
}
