import { Stack } from "aws-cdk-lib";
import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import type { Connections, IConnectable } from "aws-cdk-lib/aws-ec2";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { ClusterPlace } from "./cluster-place.ts";
import type { JournalMetrics } from "./function/journal-metrics.ts";
import type { OtherFunction } from "./function/other-function.ts";
import type { QueueFunction } from "./function/queue-function.ts";
import { allow, type Read } from "./function/reads.ts";
import type { WorkQueue } from "./function/work-queue.ts";
import type { LifecycleHooks } from "./notice/lifecycle-hooks.ts";
import type { NoticeTopic } from "./notice/notice-topic.ts";
import type { Notifier } from "./watching/notifier.ts";

const redriveActions = [
  "sqs:StartMessageMoveTask",
  "sqs:ListMessageMoveTasks",
  "sqs:CancelMessageMoveTask",
  "sqs:ReceiveMessage",
  "sqs:DeleteMessage",
  "sqs:ChangeMessageVisibility",
  "sqs:GetQueueAttributes",
];

/** The reads of the command `dead-letters` for the dead letters of a queue. */
const listingReads = ({ queue, deadLetters }: WorkQueue): readonly Read[] => [
  ["sqs:GetQueueAttributes", queue.queueArn],
  ["sqs:ReceiveMessage", deadLetters.queueArn],
  ["sqs:ChangeMessageVisibility", deadLetters.queueArn],
];

/** The grants and the metrics of a deployment. */
export abstract class Operable extends Construct implements IConnectable {
  abstract readonly cluster: ClusterPlace;
  abstract readonly topic: NoticeTopic;
  abstract readonly hooks: LifecycleHooks;
  abstract readonly queue: WorkQueue;
  abstract readonly nodeFunction: QueueFunction;
  abstract readonly journal: JournalMetrics;
  abstract readonly otherFunctions: readonly OtherFunction[];
  abstract readonly notifiers: readonly Notifier[];

  /** The functions' security groups, to let them out or in elsewhere. */
  get connections(): Connections {
    return this.nodeFunction.function.connections;
  }

  /** Allows to put a notice into the queue, without the topic. The function asks Auto Scaling whether the instance is managed here and, for a hook, whether it is held. */
  grantSendMessages(grantee: IGrantable): Grant {
    return this.queue.queue.grantSendMessages(grantee);
  }

  /** Allows to look into the dead letters of all queues, and to move those of the notices back into their queue. */
  grantRedrive(grantee: IGrantable): Grant {
    const { deadLetters, queue } = this.queue;
    const own = deadLetters
      .grant(grantee, ...redriveActions)
      .combine(queue.grant(grantee, "sqs:SendMessage", "sqs:GetQueueAttributes"));
    return this.otherFunctions
      .map((other) => allow(grantee, listingReads(other.queue)))
      .reduce((all, one) => all.combine(one), own);
  }

  /** Allows what the command `status` reads from AWS. What it reads from the cluster, the cluster's own roles allow. */
  grantStatus(grantee: IGrantable): Grant {
    return allow(grantee, statusReads(this));
  }

  /** Allows what the command `doctor` reads from AWS. What it asks the cluster, the cluster's own roles allow. */
  grantDoctor(grantee: IGrantable): Grant {
    return allow(grantee, [...statusReads(this), ...doctorReads(this)]);
  }

  /** The ARN of something that EKS has. */
  inEks(resource: string, resourceName: string): string {
    return Stack.of(this).formatArn({ service: "eks", resource, resourceName });
  }

  /** Allows to invoke the function with a saved event. */
  grantInvoke(grantee: IGrantable): Grant {
    return this.nodeFunction.function.grantInvoke(grantee);
  }

  /** Allows to read the journal. */
  grantReadLogs(grantee: IGrantable): Grant {
    const actions = ["logs:FilterLogEvents", "logs:GetLogEvents", "logs:DescribeLogStreams"];
    const resourceArns = [this.nodeFunction.logGroup.logGroupArn];
    return Grant.addToPrincipal({ grantee, actions, resourceArns });
  }

  /**
   * Allows to stop all functions that evict, and to start them again, by their event source mappings. A mapping may be given
   * to none but these functions.
   *
   * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html
   */
  grantStop(grantee: IGrantable): Grant {
    const actions = ["lambda:GetEventSourceMapping", "lambda:UpdateEventSourceMapping"];
    const functions = [this.nodeFunction, ...this.otherFunctions.map((other) => other.function)];
    const resourceArns = functions.map(({ mapping }) => mapping.eventSourceMappingArn);
    const arns = functions.flatMap(({ function: { functionArn } }) => [
      functionArn,
      `${functionArn}:*`,
    ]);
    const conditions = { ArnLikeIfExists: { "lambda:FunctionArn": arns } };
    return Grant.addToPrincipal({ grantee, actions, resourceArns, conditions });
  }

  /** The number of notices in the dead letters. */
  metricDeadLetters(props?: MetricOptions): Metric {
    return this.queue.metricDeadLetters(props);
  }

  /** The age in seconds of the oldest notice that has been received three times at most. */
  metricOldestNotice(props?: MetricOptions): Metric {
    return this.queue.queue.metricApproximateAgeOfOldestMessage(props);
  }

  /** The number of notices that wait for the function or for their next pass. */
  metricNotices(props?: MetricOptions): Metric {
    return this.queue.queue.metricApproximateNumberOfMessagesVisible(props);
  }

  /** The number of invocations that end in a crash or a timeout. */
  metricFunctionErrors(props?: MetricOptions): Metric {
    return this.nodeFunction.function.metricErrors(props);
  }

  /** The number of invocations that Lambda refuses, because too many run. */
  metricFunctionThrottles(props?: MetricOptions): Metric {
    return this.nodeFunction.function.metricThrottles(props);
  }

  /** The duration of invocations, in milliseconds. */
  metricFunctionDuration(props?: MetricOptions): Metric {
    return this.nodeFunction.function.metricDuration(props);
  }

  /** The number of faults in the journal, including those that may pass. */
  metricFaults(props?: MetricOptions): Metric {
    return this.journal.faults.metric({ statistic: "Sum", ...props });
  }

  /**
   * The number of drains that end as `expired` or `kept`, because their deadline comes before the
   * node is empty.
   */
  metricExpiredDrains(props?: MetricOptions): Metric {
    return this.journal.expiredDrains.metric({ statistic: "Sum", ...props });
  }

  /** The number of launches that end without a ready node. */
  metricFailedLaunches(props?: MetricOptions): Metric {
    return this.journal.failedLaunches.metric({ statistic: "Sum", ...props });
  }

  /** The longest time in seconds that a hook goes without a heartbeat. */
  metricHeartbeatAge(props?: MetricOptions): Metric {
    return this.journal.heartbeatAge.metric({ statistic: "Maximum", ...props });
  }
}

/** The reads of the command `status`. */
const statusReads = (its: Operable): readonly Read[] => [
  ["sqs:GetQueueAttributes", its.queue.queue.queueArn, its.queue.deadLetters.queueArn],
  ["lambda:GetFunctionConfiguration", its.nodeFunction.function.functionArn],
  ["logs:FilterLogEvents", its.nodeFunction.logGroup.logGroupArn],
  ["cloudformation:DescribeStacks", Stack.of(its).stackId],
  ["cloudformation:DescribeStackEvents", Stack.of(its).stackId],
  ["cloudformation:ListStackResources", Stack.of(its).stackId],
  ["lambda:GetEventSourceMapping", its.nodeFunction.mapping.eventSourceMappingArn],
  ["sns:ListSubscriptionsByTopic", its.topic.topic.topicArn],
  // The id of a subscription is not known beforehand.
  ["sns:GetSubscriptionAttributes", "*"],
  ["eks:DescribeCluster", its.inEks("cluster", its.cluster.clusterName)],
  // Auto Scaling knows no resources for what only describes.
  ["autoscaling:DescribeAutoScalingGroups", "*"],
  ["autoscaling:DescribeLifecycleHooks", "*"],
  ...its.otherFunctions.flatMap((one) => one.statusReads()),
];

const examinedOf = ({ otherFunctions }: Operable) =>
  otherFunctions.flatMap((one) => one.examined());

/**
 * The further reads of the command `doctor`; the names of rules are known only to CloudFormation,
 * and the others with `*` know no resources.
 */
const doctorReads = (its: Operable): readonly Read[] => [
  ["sns:GetTopicAttributes", its.topic.topic.topicArn],
  ["kms:DescribeKey", its.topic.key.keyArn],
  ["lambda:GetFunctionConcurrency", its.nodeFunction.function.functionArn],
  ...examinedOf(its).map(
    ({ mapping }): Read => ["lambda:GetEventSourceMapping", mapping.eventSourceMappingArn],
  ),
  [
    "iam:SimulatePrincipalPolicy",
    its.nodeFunction.role.roleArn,
    its.hooks.role.roleArn,
    ...examinedOf(its).map(({ role }) => role.roleArn),
  ],
  ["eks:DescribeAccessEntry", its.inEks("access-entry", `${its.cluster.clusterName}/*`)],
  ["events:DescribeRule", "*"],
  ["events:ListTargetsByRule", "*"],
  ["cloudwatch:DescribeAlarms", "*"],
  ["ec2:DescribeCapacityReservations", "*"],
  ["ec2:DescribeInstances", "*"],
  ["ec2:DescribeSubnets", "*"],
  ["ec2:DescribeRouteTables", "*"],
  ["ec2:DescribeVpcEndpoints", "*"],
  ["ec2:DescribeSecurityGroups", "*"],
  ...its.otherFunctions.flatMap((one) => one.doctorReads()),
];
