import type { AnsweredOutcome } from "../../journal/entry-schema.ts";
import type { Happening } from "../../journal/happening.ts";
import type { Instant } from "../../lambda/base/time.ts";

/** Why a replay ended; `resting` when a notice comes back only after the replay's time. */
export type Ending = "answered" | "resting" | "faulted" | "timed-out" | "interrupted";

/** Where the unfinished messages are. */
export interface Whereabouts {
  readonly queue: string;
  /** How often each message that waits in the queue has been received. */
  readonly waiting: readonly number[];
  readonly deadLetterQueue: string;
  readonly deadLetters: number;
}

/** The result of a replay. */
export interface ReplayResult {
  readonly ending: Ending;
  readonly via: "queue" | "direct";
  readonly from: Instant;
  readonly to: Instant;
  readonly happenings: readonly Happening[];
  /** The outcome of each notice that has been answered. */
  readonly outcomes: readonly AnsweredOutcome[];
  /** What still holds the node, one line for each pod. */
  readonly left: readonly string[];
  readonly whereabouts: Whereabouts;
}
