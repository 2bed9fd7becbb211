import type { Happening } from "../../journal/happening.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { Verdict } from "./verdict.ts";

/** What a report says before the sandbox has started. */
export interface Opening {
  readonly event: string;
  readonly via: "queue" | "direct";
  /** What is broken in the scenario, in words; empty if nothing is. */
  readonly broken: string;
}

/** When a replay began, and when it ends at the latest. */
export interface Beginning {
  readonly from: Instant;
  readonly until: Instant;
}

/** Reports a replay to people or programs, while it runs and when it ends. */
export interface Report {
  open(opening: Opening): void;
  begin(beginning: Beginning): void;
  tell(happening: Happening): void;
  end(result: ReplayResult, verdict: Verdict): void;
  /** Ends what the report does by itself, however the replay ended. */
  close(): void;
}
