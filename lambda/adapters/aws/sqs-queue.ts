import { SQSClient } from "@aws-sdk/client-sqs";
import type { Inbox } from "../../ports/inbox.ts";
import type { Outbox } from "../../ports/outbox.ts";
import { awsClientOptions } from "./aws-client-options.ts";
import { type Queues, SqsInbox } from "./sqs-inbox.ts";
import { type OutboxOptions, SqsOutbox } from "./sqs-outbox.ts";

/** The function's queue: what comes from it, and what is sent to it. */
export interface FunctionQueue {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
}

/** Opens the function's queue in a Region. */
export function openQueue(region: string, options: Queues & OutboxOptions): FunctionQueue {
  const client = new SQSClient(awsClientOptions(region));
  return { inbox: new SqsInbox(client, options), outbox: new SqsOutbox(client, options) };
}
