import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { type QueueOptions, WorkQueue } from "../function/work-queue.ts";
import { assertReceives, defaultReceives } from "../limits/limits.ts";

/** The topic of the notices, and how their queue redelivers them. */
export interface NoticeQueueProps extends QueueOptions {
  readonly topic: Topic;
}

/** Creates the queue of notices. It is the timer and the buffer of drains: each message is one notice. */
export function noticeQueue(scope: Construct, id: string, props: NoticeQueueProps): WorkQueue {
  const queue = new WorkQueue(scope, id, props);
  assertReceives(props.receives ?? defaultReceives);
  queue.subscribe(props.topic);
  return queue;
}
