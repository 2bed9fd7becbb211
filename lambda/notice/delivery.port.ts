import type { Fault } from "../base/fault.ts";
import type { QueueMessage } from "./inbox.port.ts";
import type { Receives } from "./renewal.ts";

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
