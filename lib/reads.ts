import { Stack } from "aws-cdk-lib";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { ClusterPlace } from "./cluster-place.ts";
import type { QueueFunction } from "./function/queue-function.ts";
import type { WorkQueue } from "./function/work-queue.ts";
import type { LifecycleHooks } from "./notice/lifecycle-hooks.ts";
import type { NoticeTopic } from "./notice/notice-topic.ts";
import type { Repairs } from "./repair/repairs.ts";

/** An action that only reads, and the ARNs of what it reads. */
type Read = readonly [action: string, ...resourceArns: readonly [string, ...string[]]];

/** A deployment that commands read. */
interface Readable extends Construct {
  readonly cluster: ClusterPlace;
  readonly topic: NoticeTopic;
  readonly queue: WorkQueue;
  readonly nodeFunction: QueueFunction;
  readonly hooks: LifecycleHooks;
  readonly repairs: Repairs | undefined;
}

const inEks = (its: Readable, resource: string, resourceName: string): string =>
  Stack.of(its).formatArn({ service: "eks", resource, resourceName });

/** What the command `status` reads. */
export const statusReads = (its: Readable): readonly Read[] => [
  ["sqs:GetQueueAttributes", its.queue.queue.queueArn, its.queue.deadLetters.queueArn],
  ["lambda:GetFunctionConfiguration", its.nodeFunction.function.functionArn],
  ["logs:FilterLogEvents", its.nodeFunction.logGroup.logGroupArn],
  ["cloudformation:DescribeStacks", Stack.of(its).stackId],
  ["eks:DescribeCluster", inEks(its, "cluster", its.cluster.clusterName)],
  // Auto Scaling knows no resources for what only describes.
  ["autoscaling:DescribeAutoScalingGroups", "*"],
  ["autoscaling:DescribeLifecycleHooks", "*"],
  ...(its.repairs === undefined ? [] : repairReads(its.repairs)),
];

/** What it takes to judge as the repair function does; what has `*` knows no resources. */
const repairReads = ({ function: its, queue }: Repairs): readonly Read[] => [
  ["lambda:GetFunctionConfiguration", its.function.functionArn],
  ["sqs:GetQueueAttributes", queue.queue.queueArn],
  ["autoscaling:DescribeInstanceRefreshes", "*"],
  ["autoscaling:DescribeScalingActivities", "*"],
  ["ec2:DescribeInstances", "*"],
  ["arc-zonal-shift:ListZonalShifts", "*"],
];

/** What the command `doctor` reads besides; the names of rules are known only to CloudFormation, and the others with `*` know no resources. */
export const doctorReads = (its: Readable): readonly Read[] => [
  ["sns:GetTopicAttributes", its.topic.topic.topicArn],
  ["sns:ListSubscriptionsByTopic", its.topic.topic.topicArn],
  ["sns:GetSubscriptionAttributes", "*"],
  ["kms:DescribeKey", its.topic.key.keyArn],
  [
    "lambda:GetEventSourceMapping",
    its.nodeFunction.mapping.eventSourceMappingArn,
    ...(its.repairs === undefined ? [] : [its.repairs.function.mapping.eventSourceMappingArn]),
  ],
  [
    "iam:SimulatePrincipalPolicy",
    its.nodeFunction.role.roleArn,
    its.hooks.role.roleArn,
    ...(its.repairs === undefined ? [] : [its.repairs.function.role.roleArn]),
  ],
  ["eks:DescribeAccessEntry", inEks(its, "access-entry", `${its.cluster.clusterName}/*`)],
  ["cloudformation:ListStackResources", Stack.of(its).stackId],
  ["events:DescribeRule", "*"],
  ["events:ListTargetsByRule", "*"],
  ["cloudwatch:DescribeAlarms", "*"],
  ["ec2:DescribeSubnets", "*"],
  ["ec2:DescribeRouteTables", "*"],
  ["ec2:DescribeVpcEndpoints", "*"],
  ["ec2:DescribeSecurityGroups", "*"],
];

/** What the command `upgrade` reads; what only describes knows no resources. */
export const upgradeReads = (its: Readable, upgrades: QueueFunction): readonly Read[] => [
  ["lambda:GetFunctionConfiguration", its.nodeFunction.function.functionArn],
  ["logs:FilterLogEvents", upgrades.logGroup.logGroupArn],
  ["cloudformation:DescribeStacks", Stack.of(its).stackId],
  ["eks:DescribeCluster", inEks(its, "cluster", its.cluster.clusterName)],
  ["autoscaling:DescribeAutoScalingGroups", "*"],
  ["autoscaling:DescribeAutoScalingInstances", "*"],
  ["autoscaling:DescribeInstanceRefreshes", "*"],
  ["autoscaling:DescribeWarmPool", "*"],
  ["ec2:DescribeLaunchTemplateVersions", "*"],
];

/** Allows somebody to read. */
export const allow = (grantee: IGrantable, reads: readonly Read[]): Grant =>
  reads
    .map(([action, ...resourceArns]) =>
      Grant.addToPrincipal({ grantee, actions: [action], resourceArns }),
    )
    .reduce((all, one) => all.combine(one));
