import { makeTrue } from "../world/true-event.ts";
import { terminateHook } from "./real-groups.ts";
import type { RealWorld } from "./real-world.ts";

/** What EventBridge tells of an instance: the hold of its hook, a Spot interruption, that of a Capacity Reservation, advice to rebalance, or its end. */
export type ToldEvent = "hold" | "interruption" | "rebalance" | "reclaim" | "shutting-down";

interface Occasion {
  readonly instance: string;
  readonly group?: string;
  /** How many milliseconds ago. @default now */
  readonly ago?: number;
}

/** Lets something happen to an instance, and sends what EventBridge tells of it to the function's topic. */
export function tellEvent(world: RealWorld, event: ToldEvent, occasion: Occasion): void {
  const told = eventOf(world, event, occasion);
  makeTrue(world.aws.ec2, told);
  publishEvent(world, told);
}

/** Sends an event to the function's topic, whether it is true or not. */
export function publishEvent({ aws, topicArn }: RealWorld, event: object): void {
  aws.sns.publish(topicArn, { subject: "", message: JSON.stringify(event) });
}

/** What EventBridge tells of an instance. */
export function eventOf(
  { aws }: RealWorld,
  event: ToldEvent,
  { instance, group = "", ago = 0 }: Occasion,
): object {
  const common = {
    version: "0",
    id: "1e5527d7-bb36-4607-3370-4164db56a40e",
    account: "123456789012",
    region: "eu-west-1",
    time: new Date(Date.now() - ago).toISOString(),
    resources: [],
  };
  const action = aws.autoScaling.actions().find(({ instanceId }) => instanceId === instance);
  const ec2 = { ...common, source: "aws.ec2" };
  return {
    hold: {
      ...common,
      source: "aws.autoscaling",
      "detail-type": "EC2 Instance-terminate Lifecycle Action",
      detail: {
        LifecycleActionToken: action?.token,
        AutoScalingGroupName: group,
        LifecycleHookName: terminateHook,
        EC2InstanceId: instance,
        LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
        Origin: "AutoScalingGroup",
        Destination: "EC2",
      },
    },
    interruption: {
      ...ec2,
      "detail-type": "EC2 Spot Instance Interruption Warning",
      detail: { "instance-id": instance, "instance-action": "terminate" },
    },
    reclaim: {
      ...ec2,
      resources: `arn:aws:ec2:eu-west-1:123456789012:instance/${instance}`,
      "detail-type": "EC2 Capacity Reservation Instance Interruption Warning",
      detail: {
        "instance-id": instance,
        "instance-action": "terminate",
        "instance-termination-time": new Date(Date.now() - ago + 120_000).toISOString(),
        azId: "euw1-az1",
      },
    },
    rebalance: {
      ...ec2,
      "detail-type": "EC2 Instance Rebalance Recommendation",
      detail: { "instance-id": instance },
    },
    "shutting-down": {
      ...ec2,
      "detail-type": "EC2 Instance State-change Notification",
      detail: { "instance-id": instance, state: "shutting-down" },
    },
  }[event];
}
