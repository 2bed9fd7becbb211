import type { UpdateAutoScalingGroupType } from "@aws-sdk/client-auto-scaling";
import { arnOf } from "../account.ts";
import type { Aws } from "../aws.ts";
import type { Permission } from "../operation.ts";

/**
 * What a caller must be allowed to do besides, if a request names a template: Auto Scaling checks whether it may launch such an instance.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-api-permissions.html
 */
export function launchPermissions(
  { account, iam, templates }: Aws,
  { LaunchTemplate, MixedInstancesPolicy }: UpdateAutoScalingGroupType,
): readonly Permission[] {
  const spec = LaunchTemplate ?? MixedInstancesPolicy?.LaunchTemplate?.LaunchTemplateSpecification;
  const template = spec && templates.tryVersion(spec, spec.Version ?? "$Default")?.template;
  if (template === undefined) return [];
  const launched = {
    action: "ec2:RunInstances",
    resource: arnOf(account, "ec2", "instance/*"),
    context: { "ec2:LaunchTemplate": arnOf(account, "ec2", `launch-template/${template.id}`) },
  };
  if (template.profileArn === "") return [launched];
  const { roles } = iam.findInstanceProfile(template.profileArn.split("/").at(-1) ?? "");
  const passed = roles.map(({ arn }) => ({
    action: "iam:PassRole",
    resource: arn,
    context: { "iam:PassedToService": "ec2.amazonaws.com" },
  }));
  return [launched, ...passed];
}
