import { type Duration, hours, milliseconds, seconds, shortest } from "../base/time.ts";
import type { DrainSettings } from "./drain-policy.ts";

// The time that the completion of the hook may take.
const completionMargin = seconds(15);

/**
 * The longest time for which a hook can hold its instance, with any number of heartbeats.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html
 */
export const longestHold = (heartbeatTimeout: Duration): Duration =>
  shortest(hours(48), milliseconds(heartbeatTimeout * 100));

/** The part of a hold that ends early enough to complete the hook. */
export const holdToComplete = (hold: Duration): Duration => milliseconds(hold - completionMargin);

/** The settings that limit the time of a drain. */
export type DrainTimeouts = Pick<DrainSettings, "timeout" | "volumeTimeout">;

/**
 * The time that a drain under a hook may take: its own timeout, limited so that the hook leaves
 * time for volumes and completion. The pods have at least half of the hold.
 */
export function timeToDeadline(
  { timeout, volumeTimeout }: DrainTimeouts,
  hold: Duration,
): Duration {
  const volumes = shortest(volumeTimeout, milliseconds(hold / 2));
  return shortest(timeout, milliseconds(holdToComplete(hold) - volumes));
}
