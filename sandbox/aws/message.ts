import { createHash } from "node:crypto";
import type { MessageAttributeValue, Message as WireMessage } from "@aws-sdk/client-sqs";
import type { Instant } from "../../lambda/base/time.ts";

/** A message as a sender hands it to a queue. */
export interface Outgoing {
  readonly body: string;
  readonly senderId: string;
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  /** The X-Ray header sent along; empty if there is none. */
  readonly traceHeader: string;
}

/** A message in a queue. */
export interface Message extends Outgoing {
  readonly id: string;
  readonly sentAt: Instant;
}

/** The handling of a message by a queue so far. */
export interface Handling {
  readonly receives: number;
  readonly firstReceivedAt: Instant;
  readonly receivedAt: Instant;
  readonly visibleAt: Instant;
  /** The ARN of the queue that moved the message here as a dead letter; empty if none did. */
  readonly deadLetterOf: string;
}

/** A message, and how its queue has dealt with it so far. */
export interface Handled {
  readonly message: Message;
  readonly handling: Handling;
}

/** A message handed to a receiver. */
export interface ReceivedMessage extends Handled {
  readonly receipt: string;
}

/** The MD5 of a body. The SDK compares it with the body that it sent or received. */
export const bodyDigest = (body: string): string => createHash("md5").update(body).digest("hex");

/** The mark of a value that is text; nobody sends others. */
const text = Buffer.from([1]);

function sized(value: string): Buffer {
  const bytes = Buffer.from(value);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}

function encoded([name, value]: readonly [string, MessageAttributeValue]): Buffer {
  const { DataType = "", StringValue = "" } = value;
  return Buffer.concat([sized(name), sized(DataType), text, sized(StringValue)]);
}

/** The MD5 of a message's attributes. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation */
export function attributesDigest(
  attributes: Readonly<Record<string, MessageAttributeValue>>,
): string {
  const sorted = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("md5")
    .update(Buffer.concat(sorted.map(encoded)))
    .digest("hex");
}

/** Every system attribute of a received message. */
export function systemAttributes({ message, handling }: ReceivedMessage): Record<string, string> {
  return {
    ApproximateReceiveCount: String(handling.receives),
    ...(message.traceHeader === "" ? {} : { AWSTraceHeader: message.traceHeader }),
    SentTimestamp: String(message.sentAt),
    SenderId: message.senderId,
    ApproximateFirstReceiveTimestamp: String(handling.firstReceivedAt),
    ...(handling.deadLetterOf === "" ? {} : { DeadLetterQueueSourceArn: handling.deadLetterOf }),
  };
}

/** Those of some attributes that a caller asks for; undefined if there are none. */
export const wanted = <Value>(all: Readonly<Record<string, Value>>, names: readonly string[]) => {
  const everything = names.includes("All");
  const kept = Object.entries(all).filter(([name]) => everything || names.includes(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
};

/** Writes a received message as ReceiveMessage answers it. */
export function receivedMessage(
  received: ReceivedMessage,
  { system, own }: { readonly system: readonly string[]; readonly own: readonly string[] },
): WireMessage {
  const { message, receipt } = received;
  const attributes = wanted(message.attributes, own);
  return {
    MessageId: message.id,
    ReceiptHandle: receipt,
    MD5OfBody: bodyDigest(message.body),
    Body: message.body,
    Attributes: wanted(systemAttributes(received), system),
    MessageAttributes: attributes,
    MD5OfMessageAttributes: attributes && attributesDigest(attributes),
  };
}
