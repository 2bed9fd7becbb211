import { Stack } from "aws-cdk-lib";
import type { Grant, IGrantable } from "aws-cdk-lib/aws-iam";
import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { upgradesGroup } from "../../lambda/base/contract.ts";
import type { CommandPlace } from "../function/command-place.ts";
import {
  drainPermissions,
  type GroupTarget,
  passedTo,
  toSeeDoings,
  toTag,
} from "../function/function-permissions.ts";
import { OtherFunction, type OtherFunctionProps } from "../function/other-function.ts";
import {
  describes,
  forCalls,
  forPlatform,
  type PermissionGrant,
} from "../function/permission-grant.ts";
import { allow, type Read } from "../function/reads.ts";
import { type AlarmCondition, condition, period } from "../watching/alarm-condition.ts";

/**
 * Upgrades groups on demand: a queue of commands, and a function with a role of its own. Each pass that ends well renews its
 * message by the 20th receive, as those of drains do, so that an upgrade may take longer than the queue keeps a message.
 */
export class Upgrades extends OtherFunction {
  /** Counts upgrades that fail, when they begin to put everything back. */
  readonly failed: MetricFilter;

  constructor(scope: Construct, id: string, props: OtherFunctionProps) {
    const { clusterName } = props.surroundings.cluster;
    const work = {
      name: "Upgrade",
      property: "Upgrades",
      kubernetesGroup: upgradesGroup,
      messages: "Commands",
      bundle: "upgrade",
      description: `Upgrades groups of nodes of cluster ${clusterName}`,
      roleDescription: "Upgrades the managed groups to another version of their launch template",
      grants: upgradePermissions,
      tells: {
        deadLetters: "A command to upgrade a group lies in the dead letters.",
        errors: "The upgrade function crashes or times out.",
      },
    } as const;
    super(scope, id, { ...props, work });
    this.failed = this.counted("FailedUpgrades", '{ $.kind = "upgrade-failing" }');
  }

  override alarmsOn(): readonly AlarmCondition[] {
    return [
      ...super.alarmsOn(),
      condition(
        "failedUpgrades",
        "The upgrade of a group has failed.",
        this.failed.metric({ statistic: "Sum", period }),
      ),
    ];
  }

  /** Allows to tell the function what is wanted, and to read what becomes of it. */
  override grantCommand(grantee: IGrantable, its: CommandPlace): Grant {
    return this.queue.queue
      .grant(grantee, "sqs:SendMessage")
      .combine(allow(grantee, this.#commandReads(its)));
  }

  override doctorReads(): readonly Read[] {
    return [
      ["lambda:GetFunctionConfiguration", this.function.function.functionArn],
      ["lambda:GetEventSourceMapping", this.function.mapping.eventSourceMappingArn],
      ["sqs:GetQueueAttributes", this.queue.queue.queueArn],
    ];
  }

  /** The reads of the command `upgrade`. Describe actions have no resources. */
  #commandReads(its: CommandPlace): readonly Read[] {
    return [
      ["lambda:GetFunctionConfiguration", its.nodeFunction.function.functionArn],
      ["logs:FilterLogEvents", this.function.logGroup.logGroupArn],
      ["cloudformation:DescribeStacks", Stack.of(its).stackId],
      ["eks:DescribeCluster", its.inEks("cluster", its.cluster.clusterName)],
      ["autoscaling:DescribeAutoScalingGroups", "*"],
      ["autoscaling:DescribeAutoScalingInstances", "*"],
      ["autoscaling:DescribeInstanceRefreshes", "*"],
      ["autoscaling:DescribeWarmPool", "*"],
      ["ec2:DescribeInstances", "*"],
      ["ec2:DescribeLaunchTemplateVersions", "*"],
      ["arc-zonal-shift:ListZonalShifts", "*"],
    ];
  }
}

// https://docs.aws.amazon.com/IAM/latest/UserGuide/access_forward_access_sessions.html
const byService = { "aws:ViaAWSService": ["true"] };

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
  describes(
    ["arc-zonal-shift:ListZonalShifts"],
    "expect no new node, and drain no old one, in a zone that somebody has shifted traffic away from",
  ),
  forCalls(
    "managed groups",
    ["autoscaling:UpdateAutoScalingGroup"],
    "have a group launch by another version, and change its sizes; if the request has no subnets, no launch configuration, no capacity reservation, and no image besides the template's",
    {
      given: {
        Null: {
          "autoscaling:CapacityReservationIds": ["true"],
          "autoscaling:CapacityReservationResourceGroupArns": ["true"],
          "autoscaling:ImageId": ["true"],
          "autoscaling:LaunchConfigurationName": ["true"],
          "autoscaling:VPCZoneIdentifiers": ["true"],
        },
      },
    },
  ),
  toTag("eks-node-lifecycle/upgrade*", "write where the upgrade stands"),
  forCalls(
    "managed groups",
    ["autoscaling:TerminateInstanceInAutoScalingGroup"],
    "end an old instance when its node is drained",
  ),
  describes(
    ["ec2:DescribeLaunchTemplateVersions", "ec2:DescribeImages"],
    "compare what a group launches with what its instances are",
  ),
  forCalls(
    "launch templates",
    ["ec2:CreateLaunchTemplateVersion"],
    "make a version with another image, where `launchTemplateVersions` says so; of the templates of `launchTemplateIds`",
    { wanted: "new versions" },
  ),
  forCalls(
    "public parameters",
    ["ssm:GetParameter"],
    "learn the newest image from a parameter that AWS publishes",
  ),
  forPlatform(
    "public parameters",
    ["ssm:GetParameters"],
    "Auto Scaling asks for it where a template names its image by such a parameter",
  ),
  // Auto Scaling tries a launch in the name of the caller, with the group's subnet. No caller can launch anything by itself.
  // https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-launch-template-permissions.html
  forPlatform(
    "named by templates",
    ["ec2:RunInstances"],
    "Auto Scaling asks for it when a group is to launch by a version; if Auto Scaling asks, and the image, key pair or snapshot is the template's, which is one of `launchTemplateIds`",
    {
      given: { Bool: { ...byService, "ec2:IsLaunchTemplateResource": ["true"] } },
      templateKey: "ec2:LaunchTemplate",
    },
  ),
  forPlatform(
    "launched",
    ["ec2:RunInstances"],
    "the same for what a launch makes, and what a group or its template may name; if Auto Scaling asks, and the template is one of `launchTemplateIds`",
    {
      given: { Bool: byService },
      templateKey: "ec2:LaunchTemplate",
    },
  ),
  // A request for Spot instances has no condition key but those of its tags.
  // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
  forPlatform(
    "Spot requests",
    ["ec2:RunInstances"],
    "the same for a template that asks for Spot instances; if Auto Scaling asks",
    { given: { Bool: byService } },
  ),
  forPlatform(
    "tagged at launch",
    ["ec2:CreateTags"],
    "Auto Scaling asks for it where a template has tags for its instances; if they are given at the launch",
    {
      given: { StringEquals: { "ec2:CreateAction": ["RunInstances"] } },
    },
  ),
  forPlatform(
    "node roles",
    ["iam:PassRole"],
    "Auto Scaling asks for it where a template has an instance profile; a role can be passed to EC2 and to no other service",
    {
      given: { StringEquals: { "iam:PassedToService": passedTo } },
    },
  ),
];
