import { Arn, ArnFormat, Names, type Stack } from "aws-cdk-lib";
import type { IAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";

/** An Auto Scaling group to look after: made by CDK, imported, or given by name. */
export type ManagedGroup = IAutoScalingGroup | string;

export const nameOf = (group: ManagedGroup): string =>
  typeof group === "string" ? group : group.autoScalingGroupName;

/** The id of a group's hooks in the stack. Adding or removing a group does not change the ids of other groups. */
export const idOf = (group: ManagedGroup): string =>
  typeof group === "string" ? `-${group}` : `-${Names.nodeUniqueId(group.node)}`;

/** The ARN of a group, with a wildcard for its id, which is unknown until the group exists. */
export const arnPattern = (group: ManagedGroup | "*", stack: Stack): string =>
  Arn.format(
    {
      service: "autoscaling",
      resource: "autoScalingGroup",
      resourceName: `*:autoScalingGroupName/${nameOf(group)}`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    },
    stack,
  );
