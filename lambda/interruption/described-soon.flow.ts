import { answeredBy } from "../base/answered-by.ts";
import { Fault, faultOf } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import { later, seconds } from "../base/time.ts";
import type { Ec2Answer } from "../group/ec2-instance.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { EventPorts } from "./interruption.port.ts";

// A Spot instance has two minutes, and its pods need nearly all of them.
const answersWithin = seconds(2);

/** Asks EC2 about an instance with little time. EC2 is silent if it has not answered within two seconds, or cannot; a throttle is no silence. */
export async function describedSoon(
  instance: InstanceId,
  { hurried, clock, journal }: Pick<EventPorts, "clock" | "hurried" | "journal">,
): Promise<Ec2Answer> {
  const limit = later(clock.now(), answersWithin);
  const answer = await answeredBy(limit, hurried.describe(instance).catch(faultOf), clock);
  if (!(answer instanceof Fault)) return answer;
  journal.record({ ...faultEntry(answer), retryable: true });
  return "unanswered";
}
