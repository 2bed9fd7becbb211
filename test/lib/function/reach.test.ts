import { describe, expect, it } from "vitest";
import { account, everything } from "../judged-template.ts";

/**
 * What whoever has a role can reach with an action, by arguments of their choice, in a deployment with everything on.
 *
 * - `own`: what the stack has made.
 * - `groups`: managed groups and their instances.
 * - `named`: what the cluster's file names: the cluster, templates, roles, keys, the secret.
 * - `tagged`: what its owner has given to the cluster by a tag.
 * - `fenced`: anything by its ARN, but a condition or a second policy leaves nothing of it to the function's own calls.
 * - `reads`: anything of its kind in the account and Region, without changing it.
 * - `writes`: anything of its kind.
 */
interface Reach {
  readonly to: "fenced" | "groups" | "named" | "own" | "reads" | "tagged" | "writes";
  /** Why AWS can say no less. */
  readonly why: string;
}

const noResources = "the action knows no resources, and no condition key of what it reads";
const lambdas =
  "Lambda refuses a role without it; the network fence denies it to the function's own calls";
const queue = "its own queue by ARN";
const group = "groups by name, or by the tag that their owner gives; the id of an ARN is not known";

/** Every action that a role of a deployment is granted. A row more or less fails a test. */
const reaches: Readonly<Record<string, Reach>> = {
  "arc-zonal-shift:ListZonalShifts": { to: "reads", why: noResources },
  "autoscaling:CompleteLifecycleAction": { to: "groups", why: group },
  "autoscaling:CreateOrUpdateTags": {
    to: "groups",
    why: `${group}; keys of the function alone, so no setting and no other group becomes reachable`,
  },
  "autoscaling:DeleteTags": { to: "groups", why: `${group}; keys of the function alone` },
  "autoscaling:DescribeAutoScalingGroups": { to: "reads", why: noResources },
  "autoscaling:DescribeAutoScalingInstances": { to: "reads", why: noResources },
  "autoscaling:DescribeInstanceRefreshes": { to: "reads", why: noResources },
  "autoscaling:DescribeLifecycleHooks": { to: "reads", why: noResources },
  "autoscaling:DescribeScalingActivities": { to: "reads", why: noResources },
  "autoscaling:DescribeWarmPool": { to: "reads", why: noResources },
  "autoscaling:RecordLifecycleActionHeartbeat": { to: "groups", why: group },
  "autoscaling:SetInstanceHealth": { to: "groups", why: group },
  "autoscaling:TerminateInstanceInAutoScalingGroup": { to: "groups", why: group },
  "autoscaling:UpdateAutoScalingGroup": {
    to: "groups",
    why: `${group}; any size, and any version of a template that ec2:RunInstances allows: an upgrade needs both`,
  },
  "ec2:AssignPrivateIpAddresses": { to: "fenced", why: lambdas },
  "ec2:CreateLaunchTemplateVersion": {
    to: "named",
    why: "a version may name any instance profile and user data, for EC2 has no condition key of what a version says; so it is granted only where launchTemplateVersions is made",
  },
  "ec2:CreateNetworkInterface": { to: "fenced", why: lambdas },
  "ec2:CreateTags": {
    to: "fenced",
    why: "only in a launch, and ec2:RunInstances leaves launches to Auto Scaling",
  },
  "ec2:DeleteNetworkInterface": { to: "fenced", why: lambdas },
  "ec2:DescribeCapacityReservations": { to: "reads", why: noResources },
  "ec2:DescribeImages": { to: "reads", why: noResources },
  "ec2:DescribeInstances": { to: "reads", why: noResources },
  "ec2:DescribeInstanceStatus": { to: "reads", why: noResources },
  "ec2:DescribeLaunchTemplateVersions": {
    to: "reads",
    why: `${noResources}: so user data of any template, which must have no secrets`,
  },
  "ec2:DescribeNetworkInterfaces": { to: "fenced", why: lambdas },
  "ec2:DescribeSubnets": { to: "fenced", why: lambdas },
  "ec2:RebootInstances": {
    to: "groups",
    why: "instances by the tag of their group, which Auto Scaling alone writes",
  },
  "ec2:RunInstances": {
    to: "fenced",
    why: "for Auto Scaling's trial of a launch alone, by a named template",
  },
  "ec2:UnassignPrivateIpAddresses": { to: "fenced", why: lambdas },
  "eks:CreateAccessEntry": {
    to: "named",
    why: "an entry of a node, for a role in nodeRoleArns",
  },
  "eks:DescribeAccessEntry": {
    to: "named",
    why: "entries of the cluster; their ids are not known",
  },
  "eks:DescribeCluster": { to: "named", why: "the cluster by ARN" },
  "elasticloadbalancing:DeregisterInstancesFromLoadBalancer": {
    to: "tagged",
    why: "any instance of such a load balancer: IAM knows no targets",
  },
  "elasticloadbalancing:DeregisterTargets": {
    to: "tagged",
    why: "any target of such a group: IAM knows no targets",
  },
  "elasticloadbalancing:DescribeInstanceHealth": { to: "reads", why: noResources },
  "elasticloadbalancing:DescribeLoadBalancerAttributes": { to: "reads", why: noResources },
  "elasticloadbalancing:DescribeLoadBalancers": { to: "reads", why: noResources },
  "elasticloadbalancing:DescribeTargetGroupAttributes": { to: "reads", why: noResources },
  "elasticloadbalancing:DescribeTargetGroups": { to: "reads", why: noResources },
  "elasticloadbalancing:DescribeTargetHealth": { to: "reads", why: noResources },
  "iam:GetInstanceProfile": {
    to: "reads",
    why: "the names and roles of instance profiles; those of new groups are not known",
  },
  "iam:PassRole": {
    to: "named",
    why: "nodeRoleArns, to EC2",
  },
  "kms:Decrypt": { to: "named", why: "the key of the topic, or of the webhook's secret" },
  "kms:GenerateDataKey": { to: "own", why: "the key of the topic" },
  "lambda:GetFunction": { to: "own", why: "the deployer by ARN" },
  "lambda:InvokeFunction": { to: "own", why: "the deployer by ARN, in any version" },
  "logs:CreateLogStream": { to: "own", why: "its own log group" },
  "logs:PutLogEvents": { to: "own", why: "its own log group" },
  "secretsmanager:GetSecretValue": { to: "named", why: "the secret of the webhook" },
  "sns:Publish": { to: "own", why: "the topic by ARN" },
  "sqs:ChangeMessageVisibility": { to: "own", why: queue },
  "sqs:DeleteMessage": { to: "own", why: queue },
  "sqs:GetQueueAttributes": { to: "own", why: queue },
  "sqs:ReceiveMessage": { to: "own", why: queue },
  "sqs:SendMessage": { to: "own", why: `${queue}, and its dead letters` },
  "ssm:GetParameter": { to: "reads", why: "parameters that AWS publishes for everybody" },
  "ssm:GetParameters": { to: "reads", why: "parameters that AWS publishes for everybody" },
  "xray:PutTelemetryRecords": { to: "writes", why: "the action knows no resources" },
  "xray:PutTraceSegments": {
    to: "writes",
    why: "the action knows no resources: untrue traces, where tracing is on",
  },
};

const { policies, names, statements, idOf } = everything;

/** The roles of the functions in a VPC, each with its function. */
const functions = [
  [/NodeRole/, /NodeFunction/],
  [/UpgradeRole/, /UpgradeFunction/],
  [/RepairRole/, /RepairFunction/],
  [/DeployerRole/, /AccessDeployer[0-9A-F]{8}$/],
].map(
  ([role = /^$/, its = /^$/]) =>
    [idOf("AWS::IAM::Role", role), idOf("AWS::Lambda::Function", its)] as const,
);

/** The statements that allow an action, of all roles, with their references resolved. */
const allowing = (action: string) =>
  statements.filter(({ effect, actions }) => effect === "Allow" && actions.includes(action));

const granted = new Set(
  statements.flatMap(({ effect, actions }) => (effect === "Allow" ? actions : [])),
);

const of = (...reach: readonly Reach["to"][]) =>
  Object.keys(reaches).filter((action) => reach.some((one) => one === reaches[action]?.to));

/** Whether an ARN names all of its kind, in this account or in any. */
const isWide = (arn: string) => arn === "*" || /^arn:aws:(?:[^:]*:){3}[\w-]+\/\*$/.test(arn);

describe("what whoever has a role can reach", () => {
  it("has a row for every action that a role is granted, and no other", () => {
    expect(new Set(Object.keys(reaches))).toEqual(granted);
  });

  it.each(of("named", "own"))(
    "reaches beyond what is its own or named only where its row says so: %s",
    (action) => {
      const wide = allowing(action).flatMap(({ resources }) => resources.filter(isWide));
      expect(wide).toEqual([]);
    },
  );

  it.each(of("groups", "tagged"))(
    "is all of a kind only by a tag of the resource: %s",
    (action) => {
      for (const { resources, conditions } of allowing(action)) {
        const isAny = resources.some(
          (arn) => isWide(arn) || arn.endsWith("autoScalingGroupName/*"),
        );
        const byTag = conditions.some(
          ({ operator, key }) => operator === "StringEquals" && /:ResourceTag\//.test(key),
        );
        expect(isAny ? byTag : true).toBe(true);
      }
    },
  );

  it.each([
    ["UpgradeRole", "autoscaling:UpdateAutoScalingGroup", {}],
    ["UpgradeRole", "autoscaling:TerminateInstanceInAutoScalingGroup", {}],
    [
      "UpgradeRole",
      "autoscaling:CreateOrUpdateTags",
      { "aws:TagKeys": ["eks-node-lifecycle/upgrade"] },
    ],
    ["RepairRole", "autoscaling:SetInstanceHealth", {}],
    [
      "RepairRole",
      "autoscaling:DeleteTags",
      { "aws:TagKeys": ["eks-node-lifecycle/repaired/i-1"] },
    ],
  ])("the %s may do to a group with the tag of groups alone: %s", (role, action, context) => {
    const [by = ""] = functions.flatMap(([name]) => (name.includes(role) ? [name] : []));
    const resource = `arn:aws:autoscaling:${account.region}:${account.id}:autoScalingGroup:1:autoScalingGroupName/others`;
    const to = (value: string) =>
      policies.permits(by, {
        by: `arn:aws:sts::${account.id}:assumed-role/${by}/work`,
        action,
        resource,
        context: { ...context, "autoscaling:ResourceTag/drained": value },
      });
    expect([to("yes"), to("no")]).toEqual([true, false]);
  });

  it.each(of("fenced"))("is nothing to the calls of a function itself: %s", (action) => {
    const resource = allowing(action)
      .flatMap(({ resources }) => resources)[0]
      ?.replaceAll("*", "x");
    for (const [role, itsFunction] of functions) {
      const by = `arn:aws:sts::${account.id}:assumed-role/${role}/thief`;
      const context = { "lambda:SourceFunctionArn": names.arn(itsFunction) };
      expect(policies.permits(role, { by, action, resource: resource ?? "", context })).toBe(false);
    }
  });

  it.each(of("reads"))("changes nothing: %s", (action) => {
    expect(action).toMatch(/:(?:Describe|Get|List)/);
  });

  it.each([
    ["with its tag", { "aws:ResourceTag/eks-node-lifecycle/cluster": "sample" }, true],
    ["of the controller", { "aws:ResourceTag/elbv2.k8s.aws/cluster": "sample" }, true],
    ["of another cluster", { "aws:ResourceTag/elbv2.k8s.aws/cluster": "other" }, false],
    ["without a tag", {}, false],
  ])("takes targets out of load balancers of the cluster alone: %s", (_, context, may) => {
    const balancing = `arn:aws:elasticloadbalancing:${account.region}:${account.id}`;
    for (const [role] of functions)
      for (const [action, resource] of [
        ["DeregisterTargets", "targetgroup/web/0123456789abcdef"],
        ["DeregisterInstancesFromLoadBalancer", "loadbalancer/web"],
      ]) {
        const by = `arn:aws:sts::${account.id}:assumed-role/${role}/thief`;
        const attempt = { by, action: `elasticloadbalancing:${action}`, context };
        const on = `${balancing}:${resource}`;
        const drains = /NodeRole|UpgradeRole/.test(role);
        expect(policies.permits(role, { ...attempt, resource: on })).toBe(may && drains);
      }
  });
});
