import { type Duration, later } from "../base/time.ts";
import type { Interrupted, Stopping } from "../notice/notice.ts";
import type { Ports } from "../registrations/ports.ts";

/**
 * Whether the notice of an instance's end is old enough, and EC2 still has the instance: it did not end, or was started
 * again.
 */
export async function runsAgain(
  { instance, since }: Interrupted | Stopping,
  within: Duration,
  { instances, clock }: Ports,
): Promise<boolean> {
  if (clock.now() < later(since, within)) return false;
  const ec2Instance = await instances.describe(instance);
  return ec2Instance !== "unknown" && ec2Instance.life === "there";
}
