import { SQSClient, type SQSClientConfig } from "@aws-sdk/client-sqs";
import type { Inbox } from "../notice/inbox.port.ts";
import type { Outbox } from "../notice/outbox.port.ts";
import { type Queues, SqsInbox } from "./sqs-inbox.ts";
import { type OutboxOptions, SqsOutbox } from "./sqs-outbox.ts";

/** The function's queue: what comes from it, and what is sent to it. */
export interface FunctionQueue {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
}

/** Opens the function's queue. */
export function openQueue(options: SQSClientConfig, queue: Queues & OutboxOptions): FunctionQueue {
  const client = new SQSClient(options);
  return { inbox: new SqsInbox(client, queue), outbox: new SqsOutbox(client, queue) };
}
