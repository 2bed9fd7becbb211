import { Duration } from "aws-cdk-lib";
import type { Topic } from "aws-cdk-lib/aws-sns";
import { SqsSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { environment } from "../../lambda/contract.ts";
import { assertVisibility, defaultReceives, defaultVisibility } from "../limits/limits.ts";

/** How patient a queue is. */
export interface QueueOptions {
  /** How soon a message comes back after a crash. @default 130 seconds: the function's timeout, and ten more */
  readonly visibility?: Duration;
  /** How often a message may be received before it is dead. @default 1000: a drain of 48 hours, and some more */
  readonly receives?: number;
}

const retention = Duration.days(14);

/** The messages that a function works on, and the dead letters of those that it cannot work on. */
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
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: receives },
    });
  }

  /** The environment that tells a function of the queue. */
  get environment(): Readonly<Record<string, string>> {
    return {
      [environment.queueUrl]: this.queue.queueUrl,
      [environment.deadLetterQueueUrl]: this.deadLetters.queueUrl,
    };
  }

  /** Puts into the queue whatever a topic is told. */
  subscribe(topic: Topic): void {
    const { deadLetters: deadLetterQueue } = this;
    topic.addSubscription(new SqsSubscription(this.queue, { deadLetterQueue }));
  }
}
