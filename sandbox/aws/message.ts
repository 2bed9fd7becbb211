import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
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

/** How a queue has dealt with a message so far. */
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
