import type { Duration } from "../base/time.ts";
import type { Reception } from "./begun-at.ts";
import type { AnyEntry } from "./entry.ts";
import type { Journal } from "./journal.port.ts";
import type { Pass } from "./outcome.ts";
import type { Subject } from "./subject.ts";

/** The content of a message, and how it came. */
export interface Received<T> extends Reception {
  readonly content: T;
}

/** The work that the messages of a queue ask for, and the entries that the journal gets about it. `E` are all entries of that work. */
export interface QueueWork<T, O, E extends AnyEntry> {
  /** The length of a pass, unless its invocation ends sooner. */
  readonly pass: Duration;
  /** Does one pass of this length; the journal names its message in each entry. */
  run(received: Received<T>, pass: Duration, journal: Journal<E>): Promise<Pass<O>>;
  /** Whether a message that meets a fault again has been tried often enough. */
  isTriedEnough(received: Received<T>): boolean;
  /**
   * The delay after which the message comes back if the function dies on it.
   * @default after the visibility timeout of its queue
   */
  backWithin?(content: T): Duration | "usual";
  /** The longest rest of the message after a fault. @default three minutes */
  restWithin?(content: T): Duration | "usual";
  /** The subject of each log line about a message. */
  subjectOf(content: T): Subject;
  startEntry(received: Received<T>): E;
  endEntry(content: T, outcome: O): E;
  /** Waits a moment for what goes on beside the passes, once all messages are answered. */
  settled(): Promise<void>;
}
