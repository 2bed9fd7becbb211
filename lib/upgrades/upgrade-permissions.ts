import {
  drainPermissions,
  type GroupTarget,
  passedTo,
  toSeeDoings,
  toTag,
} from "../function/function-permissions.ts";
import type { PermissionGrant } from "../function/permission-grant.ts";

/**
 * The permissions of the upgrade function besides those of every queue's function.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
 */
export const upgradePermissions: readonly PermissionGrant<GroupTarget>[] = [
  ...drainPermissions,
  toSeeDoings(
    "say why Auto Scaling launches nothing, refuse a group whose instances it refreshes itself, and see the instances that it keeps warm",
  ),
  {
    actions: ["autoscaling:UpdateAutoScalingGroup"],
    on: "managed groups",
    given: {
      Null: {
        "autoscaling:LaunchConfigurationName": ["true"],
        "autoscaling:VPCZoneIdentifiers": ["true"],
      },
    },
    for: "calls",
    why: "have a group launch by another version, and change its sizes; if the request has neither subnets nor a launch configuration",
  },
  toTag("eks-node-lifecycle/upgrade*", "write where the upgrade stands"),
  {
    actions: ["autoscaling:TerminateInstanceInAutoScalingGroup"],
    on: "managed groups",
    for: "calls",
    why: "end an old instance when its node is drained",
  },
  {
    actions: ["ec2:DescribeLaunchTemplateVersions", "ec2:DescribeImages"],
    on: "any",
    for: "calls",
    why: "compare what a group launches with what its instances are; knows no resources",
  },
  {
    actions: ["ec2:CreateLaunchTemplateVersion"],
    on: "launch templates",
    for: "calls",
    why: "make a version with another image; of the templates of `launchTemplateIds` if there are any",
  },
  {
    actions: ["ssm:GetParameter"],
    on: "public parameters",
    for: "calls",
    why: "learn the newest image from a parameter that AWS publishes",
  },
  {
    actions: ["ssm:GetParameters"],
    on: "public parameters",
    for: "platform",
    why: "Auto Scaling asks for it where a template names its image by such a parameter",
  },
  {
    // https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-launch-template-permissions.html
    actions: ["ec2:RunInstances"],
    on: "any",
    templateKey: "ec2:LaunchTemplate",
    for: "platform",
    why: "Auto Scaling asks for it when a group is to launch by a version; if the instances are launched by a template, one of `launchTemplateIds` if there are any",
  },
  {
    actions: ["ec2:CreateTags"],
    on: "launched",
    given: { StringEquals: { "ec2:CreateAction": ["RunInstances"] } },
    for: "platform",
    why: "Auto Scaling asks for it where a template has tags for its instances; if they are given at the launch",
  },
  {
    actions: ["iam:PassRole"],
    on: "node roles",
    given: { StringEquals: { "iam:PassedToService": passedTo } },
    for: "platform",
    why: "Auto Scaling asks for it where a template has an instance profile; a role can be passed to EC2 and to no other service",
  },
];
