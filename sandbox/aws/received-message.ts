import type { Message as WireMessage } from "@aws-sdk/client-sqs";
import type { Received } from "./message.ts";
import { attributesDigest, bodyDigest } from "./message-digest.ts";

/** Every system attribute of a received message. */
export function systemAttributes({ message, handling }: Received): Record<string, string> {
  return {
    ApproximateReceiveCount: String(handling.receives),
    ...(message.traceHeader === "" ? {} : { AWSTraceHeader: message.traceHeader }),
    SentTimestamp: String(message.sentAt),
    SenderId: message.senderId,
    ApproximateFirstReceiveTimestamp: String(handling.firstReceivedAt),
    ...(handling.deadLetterOf === "" ? {} : { DeadLetterQueueSourceArn: handling.deadLetterOf }),
  };
}

const wanted = <Value>(all: Readonly<Record<string, Value>>, names: readonly string[]) => {
  const everything = names.includes("All");
  const kept = Object.entries(all).filter(([name]) => everything || names.includes(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
};

/** Which attributes a receiver asks for. */
export interface WantedAttributes {
  readonly system: readonly string[];
  readonly own: readonly string[];
}

/** Writes a received message as ReceiveMessage answers it. */
export function receivedMessage(
  received: Received,
  { system, own }: WantedAttributes,
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
