import type { Happening } from "../../journal/happening.ts";
import type { Instant } from "../../lambda/domain/time.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { Verdict } from "./verdict.ts";

/** What a report says when a replay begins. */
export interface Opening {
  readonly event: string;
  readonly via: "queue" | "direct";
  /** What is broken in the scenario, in words; empty if nothing is. */
  readonly broken: string;
  readonly from: Instant;
}

/** Reports a replay to people or programs, while it runs and when it ends. */
export interface Report {
  begin(opening: Opening): void;
  tell(happening: Happening): void;
  end(result: ReplayResult, verdict: Verdict): void;
}
