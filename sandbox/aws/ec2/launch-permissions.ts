import type {
  LaunchTemplateSpecification,
  UpdateAutoScalingGroupType,
} from "@aws-sdk/client-auto-scaling";
import { arnOf } from "../account.ts";
import type { Aws } from "../aws.ts";
import type { Permission } from "../operation.ts";

/**
 * What a caller must be allowed to do besides, if a request names templates: Auto Scaling checks whether it may launch such instances.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-api-permissions.html
 */
export const launchPermissions = (
  aws: Aws,
  { LaunchTemplate: template, MixedInstancesPolicy: policy }: UpdateAutoScalingGroupType,
): readonly Permission[] => {
  const { LaunchTemplateSpecification: base, Overrides: others = [] } =
    policy?.LaunchTemplate ?? {};
  const own = others.map(({ LaunchTemplateSpecification: spec }) => spec);
  return [template, base, ...own].flatMap((spec) =>
    spec === undefined ? [] : permissionsToLaunch(aws, spec),
  );
};

function permissionsToLaunch(
  { account, iam, templates }: Aws,
  spec: LaunchTemplateSpecification,
): readonly Permission[] {
  const template = templates.tryVersion(spec, spec.Version ?? "$Default")?.template;
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
