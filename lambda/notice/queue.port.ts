import type { Fault } from "../base/fault.ts";
import type { Duration } from "../base/time.ts";
import type { Reception } from "./begun-at.ts";
import type { Receives } from "./renewal.ts";

/** The URLs of the queue of a function, and of the queue for messages that it can never work on. */
export interface QueueUrls {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

export interface QueueMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  /** The message as it was sent; of a record without one, the whole record. */
  readonly body: string;
}

/** The attributes by which a fresh message knows how often its notice was received before, and when first, in milliseconds since 1970. */
export const receivesAttribute = "Receives";
export const firstReceivedAttribute = "FirstReceived";

/** The queue that a function's messages come from. */
export interface Inbox {
  /** Lets a message rest before it is received again, for twelve hours less a few minutes at most. */
  postpone(message: QueueMessage, wait: Duration): Promise<void>;
  /** Sends the same notice as a fresh message, which is delivered after a wait of 15 minutes at most and knows how the notice came. */
  renew(message: QueueMessage, wait: Duration, reception: Reception): Promise<void>;
  /** Deletes a message that a fresh one has taken the place of. */
  acknowledge(message: QueueMessage): Promise<void>;
  /** Sends a message that can never be worked on to the dead letters, with the reason. */
  deadLetter(message: QueueMessage, reason: string): Promise<void>;
}

/** One message as it arrived, with what it asks for, or with what is wrong with it. */
export type Delivery<T> = QueueDelivery<T> | DirectDelivery<T>;

/** A message of the queue: it comes back unless it is done. */
export interface QueueDelivery<T> extends QueueMessage {
  readonly via: "queue";
  readonly receives: Receives;
  readonly content: T | Fault;
}

/** A message that came by no queue, such as a saved event that is replayed: nobody delivers it again. */
export interface DirectDelivery<T> {
  readonly via: "direct";
  readonly messageId: string;
  readonly content: T | Fault;
}
