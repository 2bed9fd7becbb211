import { type Instant, timestamp } from "../../lambda/base/time.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { account, group, hook, instanceOf } from "./world-options.ts";

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

/** EC2 recommends to rebalance, because it may take an instance back. */
export function recommend(world: VirtualWorld, instance: string = instanceOf(1)): void {
  world.send({
    ...eventOf(instance, world.timeline.now()),
    "detail-type": "EC2 Instance Rebalance Recommendation",
    detail: { "instance-id": instance },
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

/** EventBridge tells of the hold of the first instance too, with the token that the hook's own notice has. */
export const tellOfHold = (world: VirtualWorld): void =>
  world.send({
    ...eventOf(instanceOf(1), world.timeline.now()),
    "detail-type": "EC2 Instance-terminate Lifecycle Action",
    source: "aws.autoscaling",
    detail: {
      LifecycleActionToken: world.aws.autoScaling.actions()[0]?.token ?? "",
      AutoScalingGroupName: group,
      LifecycleHookName: hook,
      EC2InstanceId: instanceOf(1),
      LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
      Origin: "AutoScalingGroup",
      Destination: "EC2",
    },
  });
