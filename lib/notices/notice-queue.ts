import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { type QueueOptions, WorkQueue } from "../function/work-queue.ts";
import { assertReceives, defaultReceives } from "../limits/limits.ts";

/** Where notices come from, and how patient their queue is. */
export interface NoticeQueueProps extends QueueOptions {
  readonly topic: Topic;
}

/** Makes the queue of notices, which is timer and buffer: one message is one notice is one drain. */
export function noticeQueue(scope: Construct, id: string, props: NoticeQueueProps): WorkQueue {
  const queue = new WorkQueue(scope, id, props);
  assertReceives(props.receives ?? defaultReceives);
  queue.subscribe(props.topic);
  return queue;
}
