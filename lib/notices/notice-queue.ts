import { Duration } from "aws-cdk-lib";
import type { Topic } from "aws-cdk-lib/aws-sns";
import { SqsSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import {
  assertReceives,
  assertVisibility,
  defaultReceives,
  defaultVisibility,
} from "../limits/limits.ts";

/** How patient the queue is. */
export interface QueueOptions {
  /** How soon a notice comes back after a crash. @default 130 seconds: the function's timeout, and ten more */
  readonly visibility?: Duration;
  /** How often a notice may be received before it is dead. @default 1000: a drain of 48 hours, and some more */
  readonly receives?: number;
}

/** Where notices come from, and how patient their queue is. */
export interface NoticeQueueProps extends QueueOptions {
  readonly topic: Topic;
}

const retention = Duration.days(14);

/** The timer and the buffer: one message is one notice is one drain. */
export class NoticeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: NoticeQueueProps) {
    super(scope, id);
    const { topic, visibility = defaultVisibility, receives = defaultReceives } = props;
    assertVisibility(visibility);
    assertReceives(receives);
    const usual = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: retention,
    };
    this.deadLetters = new Queue(this, "DeadLetters", usual);
    this.queue = new Queue(this, "Queue", {
      ...usual,
      visibilityTimeout: visibility,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: receives },
    });
    topic.addSubscription(new SqsSubscription(this.queue, { deadLetterQueue: this.deadLetters }));
  }
}
