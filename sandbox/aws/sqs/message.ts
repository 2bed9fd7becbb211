import type { MessageAttributeValue } from "@aws-sdk/client-sqs";
import type { Instant } from "../../../lambda/domain/time.ts";

/** A message as somebody sends it. */
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
  /** The queue it was taken out of as a dead letter; empty if none. */
  readonly deadLetterOf: string;
}

/** A message, and how it has been dealt with. */
export interface Handled {
  readonly message: Message;
  readonly handling: Handling;
}

/** A message handed to a receiver. */
export interface Received extends Handled {
  readonly receipt: string;
}
