import type {
  LaunchTemplateSpecification,
  UpdateAutoScalingGroupType,
} from "@aws-sdk/client-auto-scaling";
import { arnOf } from "./account.ts";
import type { Aws } from "./aws.ts";
import { passingToEc2 } from "./eks-api.ts";
import type { CallPermission } from "./operation.ts";

/**
 * The further rights of a caller whose request names templates: Auto Scaling tries a launch in the
 * caller's name, in a subnet of the group.
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-api-permissions.html
 */
export const launchPermissions = (
  aws: Aws,
  { LaunchTemplate: template, MixedInstancesPolicy: policy }: UpdateAutoScalingGroupType,
): readonly CallPermission[] => {
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
): readonly CallPermission[] {
  const template = templates.tryVersion(spec, spec.Version ?? "$Default")?.template;
  if (template === undefined) return [];
  const arn = arnOf(account, "ec2", `launch-template/${template.id}`);
  const launching = (resource: string, of: "group" | "template") => ({
    action: "ec2:RunInstances",
    resource,
    context: {
      "aws:ViaAWSService": "true",
      "ec2:IsLaunchTemplateResource": String(of === "template"),
      "ec2:LaunchTemplate": arn,
    },
  });
  const launched = [
    arn,
    arnOf({ ...account, id: "" }, "ec2", `image/${template.imageId}`),
    ...["instance/*", "network-interface/*", "volume/*"].map((one) => arnOf(account, "ec2", one)),
  ].map((resource) => launching(resource, "template"));
  launched.push(launching(arnOf(account, "ec2", "subnet/subnet-0123456789abcdef0"), "group"));
  if (template.profileArn === "") return launched;
  const { roles } = iam.findInstanceProfile(template.profileArn.split("/").at(-1) ?? "");
  return [...launched, ...roles.map(({ arn: resource }) => ({ resource, ...passingToEc2 }))];
}
