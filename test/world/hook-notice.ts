import { type Instant, timestamp } from "../../lambda/base/time.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { account, group, hook, instanceOf } from "./world-options.ts";

/** The fields of a hook's notice that tests change. */
export interface Claims {
  readonly AutoScalingGroupName?: string;
  readonly LifecycleHookName?: string;
  readonly LifecycleActionToken?: string;
  readonly EC2InstanceId?: string;
  readonly LifecycleTransition?: string;
}

/**
 * The notice of a terminate hook as Auto Scaling sends it, for the first instance unless the claims
 * say otherwise.
 */
export function hookNotice(world: VirtualWorld, claims: Claims = {}, at?: Instant): object {
  const [action] = world.aws.autoScaling.actions();
  return {
    Origin: "AutoScalingGroup",
    Destination: "EC2",
    Service: "AWS Auto Scaling",
    AccountId: account.id,
    RequestId: "8f7c9d8e-7b1a-4b52-9a3e-7c5a5a1c6c3d",
    LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
    Time: timestamp(at ?? world.timeline.now()),
    AutoScalingGroupName: group,
    LifecycleHookName: hook,
    LifecycleActionToken: action?.token ?? "00000000-0000-4000-8000-000000000000",
    EC2InstanceId: instanceOf(1),
    ...claims,
  };
}
