import type { Entry } from "../../domain/entry.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import type { Duration } from "../../domain/time.ts";

/** What a message asks for, and how often it has been received. */
export interface Received<T> {
  readonly content: T;
  readonly receives: number;
}

/** The work that the messages of a queue ask for, and what the journal says of it. */
export interface QueueWork<T, O> {
  /** How long a pass lasts, unless its invocation ends sooner. */
  readonly pass: Duration;
  /** What a pass may still take when its time is over, for an answer that it waits for. */
  readonly afterPass: Duration;
  /** Does one pass of so long. */
  run(received: Received<T>, pass: Duration): Promise<Pass<O>>;
  startEntry(received: Received<T>): Entry;
  endEntry(content: T, outcome: O): Entry;
}
