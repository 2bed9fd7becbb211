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
export interface Reach {
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
export const reaches: Readonly<Record<string, Reach>> = {
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
  "ec2:DescribeImages": { to: "reads", why: noResources },
  "ec2:DescribeInstances": { to: "reads", why: noResources },
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
    why: "an entry of a node, for a role in nodeRoleArns; without these, for any role of the account",
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
    why: "nodeRoleArns, to EC2; without these any role of the account, which only eks:CreateAccessEntry of the same role can use",
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
