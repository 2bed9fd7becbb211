import type { Duration } from "../base/time.ts";
import type { Entry } from "../registrations/entry.ts";
import type { Reception } from "./begun-at.ts";
import type { Journal } from "./journal.port.ts";
import type { Pass } from "./outcome.ts";
import type { Subject } from "./subject.ts";

/** The content of a message, and how it came. */
export interface Received<T> extends Reception {
  readonly content: T;
}

/** The work that the messages of a queue ask for, and the entries that the journal gets about it. */
export interface QueueWork<T, O> {
  /** How long a pass lasts, unless its invocation ends sooner. */
  readonly pass: Duration;
  /** How often a message is received at most that meets a fault again and again. */
  readonly mostReceives: number;
  /** Does one pass of this length; the journal names its message in each entry. */
  run(received: Received<T>, pass: Duration, journal: Journal): Promise<Pass<O>>;
  /** How soon the message is to come back should the function die on it. @default after the visibility timeout of its queue */
  backWithin?(content: T): Duration | "usual";
  /** How long the message rests at most after a fault. @default three minutes */
  restWithin?(content: T): Duration | "usual";
  /** The subject of each log line about a message. */
  subjectOf(content: T): Subject;
  startEntry(received: Received<T>): Entry;
  endEntry(content: T, outcome: O): Entry;
  /** Waits a moment for what goes on beside the passes, once all messages are answered. */
  settled(): Promise<void>;
}
