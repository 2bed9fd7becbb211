import type { Duration } from "../domain/time.ts";

/** A message of the queue, as it was received. */
export interface QueueMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  /** The message as it was sent; of a record without one, the whole record. */
  readonly body: string;
}

/** The queue that a function's messages come from. */
export interface Inbox {
  /** Lets a message rest before it is received again. */
  postpone(message: QueueMessage, wait: Duration): Promise<void>;
  /** Sends a message that can never be worked on to the dead letters, with the reason. */
  deadLetter(message: QueueMessage, reason: string): Promise<void>;
}
