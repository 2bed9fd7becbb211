import { randomUUID } from "node:crypto";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  SendMessageCommand,
  SQSClient,
  type SQSClientConfig,
} from "@aws-sdk/client-sqs";
import { legible } from "../base/legible.ts";
import {
  type Duration,
  hours,
  milliseconds,
  minutes,
  shortest,
  wholeSeconds,
} from "../base/time.ts";
import type { BlockExpiring, Maintenance } from "../interruption/event-notice.ts";
import type { Outbox } from "../interruption/interruption.port.ts";
import { passedOnEventOf } from "../interruption/passed-on-event.ts";
import type { Reception } from "../notice/begun-at.ts";
import type { QueueUrls } from "../notice/queue.port.ts";
import {
  firstReceivedAttribute,
  type Inbox,
  type QueueMessage,
  receivesAttribute,
} from "../notice/queue.port.ts";
import { ask } from "./aws-fault.ts";

/** The function's queue: what comes from it, and what is sent to it. */
export interface FunctionQueue {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
}

export function openQueue(options: SQSClientConfig, queue: QueueUrls): FunctionQueue {
  const client = new SQSClient(options);
  return { inbox: new SqsInbox(client, queue), outbox: new SqsOutbox(client, queue.queueUrl) };
}

/** The queue that notices come from. */
class SqsOutbox implements Outbox {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  async send(notice: Omit<BlockExpiring, "id"> | Omit<Maintenance, "id">): Promise<string> {
    const id = randomUUID();
    const command = new SendMessageCommand({
      QueueUrl: this.#queueUrl,
      MessageBody: JSON.stringify(passedOnEventOf({ ...notice, id })),
    });
    const about = notice.kind === "maintenance" ? notice.event : notice.reservation;
    await ask(`sending a notice of ${about}`, () => this.#client.send(command));
    return id;
  }
}

/** A reason as an attribute of a message: SQS refuses some characters, and body and attributes may have 1 MiB together. */
const attributeText = (reason: string): string => legible(reason.slice(0, 1000));

// A message is invisible for 12 hours at most, from its receive on, and a pass may have taken two minutes of them.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
const longestRest = milliseconds(hours(12) - minutes(3));
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
const longestDelay = minutes(15);

const number = (value: number) => ({ DataType: "Number", StringValue: String(value) });

/** The queue that notices come from. */
export class SqsInbox implements Inbox {
  readonly #client: SQSClient;
  readonly #queues: QueueUrls;

  constructor(client: SQSClient, queues: QueueUrls) {
    this.#client = client;
    this.#queues = queues;
  }

  postpone({ messageId, receiptHandle }: QueueMessage, wait: Duration): Promise<void> {
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: this.#queues.queueUrl,
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: wholeSeconds(shortest(wait, longestRest)),
    });
    return done(`postponing message ${messageId}`, this.#client.send(command));
  }

  renew({ messageId, body }: QueueMessage, wait: Duration, reception: Reception): Promise<void> {
    const { receives, firstReceived } = reception;
    const command = new SendMessageCommand({
      QueueUrl: this.#queues.queueUrl,
      MessageBody: body,
      DelaySeconds: wholeSeconds(shortest(wait, longestDelay)),
      MessageAttributes: {
        [receivesAttribute]: number(receives),
        [firstReceivedAttribute]: number(firstReceived),
      },
    });
    return done(`renewing message ${messageId}`, this.#client.send(command));
  }

  acknowledge({ messageId, receiptHandle }: QueueMessage): Promise<void> {
    const command = new DeleteMessageCommand({
      QueueUrl: this.#queues.queueUrl,
      ReceiptHandle: receiptHandle,
    });
    return done(`deleting message ${messageId}`, this.#client.send(command));
  }

  deadLetter({ messageId, body }: QueueMessage, reason: string): Promise<void> {
    const command = new SendMessageCommand({
      QueueUrl: this.#queues.deadLetterQueueUrl,
      MessageBody: body,
      MessageAttributes: { Fault: { DataType: "String", StringValue: attributeText(reason) } },
    });
    return done(`sending message ${messageId} to the dead letters`, this.#client.send(command));
  }
}

const done = async (action: string, call: Promise<unknown>): Promise<void> => {
  await ask(action, () => call);
};
