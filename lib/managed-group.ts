import { Arn, ArnFormat, type Stack, Token } from "aws-cdk-lib";
import type { IAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { pathIn } from "./path-in.ts";

/** An Auto Scaling group to look after: made by CDK, imported, or given by name. */
export type ManagedGroup = IAutoScalingGroup | string;

export const nameOf = (group: ManagedGroup): string =>
  typeof group === "string" ? group : group.autoScalingGroupName;

/**
 * The id of a group's hooks in the stack: by the group's name, or by its path where only the deployment knows the name. A hook
 * with another id is made under its old name, and then CloudFormation deletes the old one by that name. So the id says nothing
 * about the construct of a group whose name is known, or about what the stack stands in.
 */
export function idOf(group: ManagedGroup, stack: Stack): string {
  const name = nameOf(group);
  if (typeof group === "string" || !Token.isUnresolved(name))
    return `-${name.replaceAll("/", ":")}`; // CDK would write both a/b and a--b as a--b
  return `:${pathIn(stack, group)}`;
}

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
