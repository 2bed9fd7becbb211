import { Duration } from "aws-cdk-lib";
import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import type { IRule, IRuleTarget, RuleTargetInput } from "aws-cdk-lib/aws-events";
import {
  type AddToResourcePolicyResult,
  PolicyStatement,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { Subscription, SubscriptionProtocol, type Topic } from "aws-cdk-lib/aws-sns";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { environment } from "../../lambda/base/contract.ts";
import { assertVisibility, defaultReceives, defaultVisibility } from "../limits/limits.ts";

/** The redelivery options of a queue. */
export interface QueueOptions {
  /** The visibility timeout, after which a message comes back if the function crashed. @default 130 seconds, ten more than the function's timeout */
  readonly visibility?: Duration;
  /**
   * The most receives of a message before SQS moves it to the dead letters.
   * @default 80, about three hours of crashes
   */
  readonly receives?: number;
}

// SQS takes 1 MiB at most, attributes included. The rest is for the reason of a dead letter, in its attribute `Fault`.
const largestMessage = 1_048_576 - 8192;
const retention = Duration.days(14);

/** A queue of messages for a function, and a queue for the messages that it cannot work on. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, options: QueueOptions = {}) {
    super(scope, id);
    const { visibility = defaultVisibility, receives = defaultReceives } = options;
    assertVisibility(visibility);
    const usual = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: retention,
    };
    this.deadLetters = new Queue(this, "DeadLetters", usual);
    this.queue = new Queue(this, "Queue", {
      ...usual,
      visibilityTimeout: visibility,
      maxMessageSizeBytes: largestMessage,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: receives },
    });
  }

  /** The number of messages in the dead letters. */
  metricDeadLetters(props?: MetricOptions): Metric {
    const most = { statistic: "Maximum", ...props };
    return this.deadLetters.metricApproximateNumberOfMessagesVisible(most);
  }

  /** The environment variables by which a function finds the queues. */
  get environment(): Readonly<Record<string, string>> {
    return {
      [environment.queueUrl]: this.queue.queueUrl,
      [environment.deadLetterQueueUrl]: this.deadLetters.queueUrl,
    };
  }

  /** Makes a target for a rule of EventBridge: it sends its event or `input` here, and what the queue does not take to the dead letters. */
  asTarget(input?: RuleTargetInput): IRuleTarget {
    const deadLetterConfig = { arn: this.deadLetters.queueArn };
    return {
      bind: (rule: IRule) => ({
        arn: this.#admit(rule),
        deadLetterConfig,
        ...(input && { input }),
      }),
    };
  }

  #admit({ ruleArn }: IRule): string {
    for (const queue of [this.queue, this.deadLetters])
      admit(queue, "events.amazonaws.com", ruleArn);
    return this.queue.queueArn;
  }

  /**
   * Brings what the topic gets into the queue. SqsSubscription would put the path of the stack into the subscription's id. SNS
   * answers a second subscription of a queue with the ARN of the first, so that a stack with another path would make none and
   * delete the only one.
   */
  subscribe(topic: Topic): void {
    const { policyDependable } = admit(this.queue, "sns.amazonaws.com", topic.topicArn);
    const subscription = new Subscription(this, "Subscription", {
      topic,
      protocol: SubscriptionProtocol.SQS,
      endpoint: this.queue.queueArn,
      deadLetterQueue: this.deadLetters,
    });
    if (policyDependable) subscription.node.addDependency(policyDependable);
  }
}

/** Lets a service of AWS send to a queue on behalf of a topic or a rule. */
const admit = (queue: Queue, service: string, source: string): AddToResourcePolicyResult =>
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(service)],
      actions: ["sqs:SendMessage"],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { "aws:SourceArn": source } },
    }),
  );
