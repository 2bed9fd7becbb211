import type { Happening } from "../../journal/happening.ts";
import type { Instant } from "../../lambda/domain/time.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { Verdict } from "./verdict.ts";

/** What a replay begins with. */
export interface Opening {
  readonly event: string;
  readonly via: "queue" | "direct";
  /** What is broken in the scenario, in words; empty if nothing is. */
  readonly broken: string;
  readonly from: Instant;
}

/** Tells people or programs of a replay while it goes on, and at its end. */
export interface Report {
  begin(opening: Opening): void;
  tell(happening: Happening): void;
  end(result: ReplayResult, verdict: Verdict): void;
}
