import { terminateHook } from "./real-groups.ts";
import type { RealWorld } from "./real-world.ts";

/** What EventBridge tells of an instance: the hold of its hook, a Spot interruption, or advice to rebalance. */
export type ToldEvent = "hold" | "interruption" | "rebalance";

/** Sends what EventBridge tells of an instance to the function's topic, as of so many milliseconds ago. */
export function tellEvent(
  { aws, topicArn }: RealWorld,
  event: ToldEvent,
  { instance, group = "", ago = 0 }: { instance: string; group?: string; ago?: number },
): void {
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
  const told = {
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
    rebalance: {
      ...ec2,
      "detail-type": "EC2 Instance Rebalance Recommendation",
      detail: { "instance-id": instance },
    },
  }[event];
  aws.sns.publish(topicArn, { subject: "", message: JSON.stringify(told) });
}
