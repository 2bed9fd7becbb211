import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { legible } from "../../domain/legible.ts";
import { type Duration, wholeSeconds } from "../../domain/time.ts";
import type { Inbox, QueueMessage } from "../../ports/inbox.ts";
import { awsClientOptions } from "./aws-client-options.ts";
import { awsFault } from "./aws-fault.ts";

/** The URLs of an inbox's queue and of the queue for its dead letters. */
export interface Queues {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** A reason as an attribute of a message: SQS refuses some characters, and body and attributes may have 1 MiB together. */
const attributeText = (reason: string): string => legible(reason.slice(0, 1000));

/** The queue that notices come from. */
export class SqsInbox implements Inbox {
  readonly #client: SQSClient;
  readonly #queues: Queues;

  constructor(client: SQSClient, queues: Queues) {
    this.#client = client;
    this.#queues = queues;
  }

  async postpone({ messageId, receiptHandle }: QueueMessage, wait: Duration): Promise<void> {
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: this.#queues.queueUrl,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: wholeSeconds(wait),
    });
    try {
      await this.#client.send(command);
    } catch (cause) {
      throw awsFault(`postponing message ${messageId}`, cause);
    }
  }

  async deadLetter({ messageId, body }: QueueMessage, reason: string): Promise<void> {
    const command = new SendMessageCommand({
      QueueUrl: this.#queues.deadLetterQueueUrl,
      MessageBody: body,
      MessageAttributes: { Fault: { DataType: "String", StringValue: attributeText(reason) } },
    });
    try {
      await this.#client.send(command);
    } catch (cause) {
      throw awsFault(`sending message ${messageId} to the dead letters`, cause);
    }
  }
}

/** Opens the inbox of a queue in a Region. */
export const openInbox = (region: string, queues: Queues): SqsInbox =>
  new SqsInbox(new SQSClient(awsClientOptions(region)), queues);
