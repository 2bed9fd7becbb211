import { type Instant, timestamp } from "../../lambda/domain/time.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { account, instanceOf } from "./world-options.ts";

const eventOf = (instance: string, at: Instant): object => ({
  version: "0",
  id: "1e5527d7-bb36-4607-3370-4164db56a40e",
  source: "aws.ec2",
  account: account.id,
  time: timestamp(at),
  region: account.region,
  resources: [`arn:aws:ec2:${account.region}a:instance/${instance}`],
});

/** EC2 announces that it takes an instance back in two minutes. */
export function interrupt(
  world: VirtualWorld,
  instance: string = instanceOf(1),
  action: "hibernate" | "stop" | "terminate" = "terminate",
): void {
  world.send({
    ...eventOf(instance, world.timeline.now()),
    "detail-type": "EC2 Spot Instance Interruption Warning",
    detail: { "instance-id": instance, "instance-action": action },
  });
}

/** EC2 tells that an instance has changed its state. */
export function changeState(
  world: VirtualWorld,
  state: "shutting-down" | "stopped" | "stopping" | "terminated",
  instance: string = instanceOf(1),
): void {
  world.send({
    ...eventOf(instance, world.timeline.now()),
    "detail-type": "EC2 Instance State-change Notification",
    detail: { "instance-id": instance, state },
  });
}
