import { Arn, ArnFormat, Names, type Stack } from "aws-cdk-lib";
import type { IAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";

/** An Auto Scaling group whose nodes are looked after: made by CDK, imported, or by its name. */
export type ManagedGroup = IAutoScalingGroup | string;

/** What the name of one group is made of; by a wildcard or a variable, IAM would take it for many. */
export const wholeGroupName = /^(?! )(?:(?!\$\{)[ !-)+-9;->@-~]){1,255}(?<! )$/;

/** The name of a group. */
export const nameOf = (group: ManagedGroup): string =>
  typeof group === "string" ? group : group.autoScalingGroupName;

/** What a group's hooks are called in the stack: by name where there is one, so that a group comes or goes without touching the others' hooks. */
export const idOf = (group: ManagedGroup): string =>
  typeof group === "string" ? `-${group}` : `-${Names.nodeUniqueId(group.node)}`;

/** The ARN of a group, as far as it can be known before the group is there: its id is a wildcard. */
export const arnPattern = (group: ManagedGroup, stack: Stack): string =>
  Arn.format(
    {
      service: "autoscaling",
      resource: "autoScalingGroup",
      resourceName: `*:autoScalingGroupName/${nameOf(group)}`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    },
    stack,
  );
