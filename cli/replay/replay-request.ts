import type { AnsweredOutcome } from "../../journal/entry-schema.ts";
import type { Happening } from "../../journal/happening.ts";
import type { Duration, Instant } from "../../lambda/base/time.ts";
import { launches } from "../../sandbox/aws/lifecycle.ts";
import type { Breakage } from "../../sandbox/scenario.ts";
import type { DemoAction } from "../../sandbox/scenarios/demo-action.ts";
import type { Timeout } from "./deploy-demo.ts";
import type { SavedMessage } from "./saved-event-schema.ts";

/** What is to be replayed, and how. */
export interface ReplayRequest {
  /** The path of the event file, as the user gave it. */
  readonly event: string;
  readonly messages: readonly SavedMessage[];
  /** The lifecycle action that the sandbox holds an instance for. */
  readonly action: DemoAction;
  readonly via: "queue" | "direct";
  readonly broken: Breakage | "nothing";
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
  /** How long the replay may take before it is given up. */
  readonly timeout: Duration;
  readonly format: "text" | "json";
  /** The file for the picture of the replay; empty if nobody wants one. */
  readonly page: string;
}

/** Whether an action is about an instance that launches, and not about one that terminates. */
export const isLaunch = ({ journey }: DemoAction): boolean => launches(journey);

/** Why a replay ended; `resting` when a notice comes back only after the replay's time. */
export type ReplayEnding = "answered" | "resting" | "faulted" | "timed-out" | "interrupted";

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
  readonly ending: ReplayEnding;
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
