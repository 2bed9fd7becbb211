import { randomUUID } from "node:crypto";
import type { Instant } from "../../lambda/base/time.ts";
import type { Account } from "./account.ts";
import type { Group } from "./group.ts";
import { journeys } from "./lifecycle.ts";
import type { ActionSpec } from "./lifecycle-action.ts";
import type { Publication } from "./sns.ts";

const service = "AWS Auto Scaling";
const time = (at: Instant): string => new Date(at).toISOString();

/** The notice that a hook's target gets when an action begins. */
export function lifecycleNotice(action: ActionSpec, { id }: Account, at: Instant): Publication {
  const { transition, origin, destination } = journeys[action.journey];
  const { metadata, name } = action.hook;
  const word = transition.replace("autoscaling:EC2_INSTANCE_", "");
  const message = {
    Origin: origin,
    LifecycleHookName: name,
    Destination: destination,
    AccountId: id,
    RequestId: randomUUID(),
    LifecycleTransition: transition,
    AutoScalingGroupName: action.group,
    Service: service,
    Time: time(at),
    EC2InstanceId: action.instanceId,
    ...(metadata === "" ? {} : { NotificationMetadata: metadata }),
    LifecycleActionToken: action.token,
  };
  return {
    subject: `Auto Scaling:  Lifecycle action '${word}' for instance ${action.instanceId} in progress.`,
    message: JSON.stringify(message),
  };
}

/** The test notice that a hook's target gets when a user puts the hook. */
export function testNotice({ name, arn }: Group, { id }: Account, at: Instant): Publication {
  const message = {
    AccountId: id,
    RequestId: randomUUID(),
    AutoScalingGroupARN: arn,
    AutoScalingGroupName: name,
    Service: service,
    Event: "autoscaling:TEST_NOTIFICATION",
    Time: time(at),
  };
  return {
    subject: `Auto Scaling: test notification for group "${name}"`,
    message: JSON.stringify(message),
  };
}
