import type { AnsweredOutcome } from "../../journal/entry-schema.ts";
import type { Happening } from "../../journal/happening.ts";
import type { Duration, Instant } from "../../lambda/base/time.ts";
import { launches } from "../../sandbox/aws/lifecycle.ts";
import type { Breakage } from "../../sandbox/scenario.ts";
import type { DemoAction } from "../../sandbox/scenarios/demo-action.ts";
import type { Timeout } from "./deploy-demo.ts";
import type { SavedMessage } from "./saved-event-schema.ts";

export interface ReplayRequest {
  /** The path of the event file, as the user gave it. */
  readonly event: string;
  readonly messages: readonly SavedMessage[];
  /** The lifecycle action for which the sandbox holds an instance. */
  readonly action: DemoAction;
  readonly via: "queue" | "direct";
  readonly broken: Breakage | "nothing";
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
  /** The time limit of the replay. */
  readonly timeout: Duration;
  readonly format: "text" | "json";
  /** The file for the page about the replay; empty for none. */
  readonly page: string;
}

export const isLaunch = ({ journey }: DemoAction): boolean => launches(journey);

/** Why a replay ended; `resting` if a notice comes back only after the time limit. */
export type ReplayEnding = "answered" | "resting" | "faulted" | "timed-out" | "interrupted";

/** Where the unfinished messages are. */
export interface Whereabouts {
  readonly queue: string;
  /** The receive count of each message in the queue. */
  readonly waiting: readonly number[];
  readonly deadLetterQueue: string;
  readonly deadLetters: number;
}

export interface ReplayResult {
  readonly ending: ReplayEnding;
  readonly via: "queue" | "direct";
  readonly from: Instant;
  readonly to: Instant;
  readonly happenings: readonly Happening[];
  /** The outcomes of the notices that are done. */
  readonly outcomes: readonly AnsweredOutcome[];
  /** The pods and volumes that still hold the node, one line for each. */
  readonly left: readonly string[];
  readonly whereabouts: Whereabouts;
}
