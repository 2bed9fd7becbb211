import type { RepairBrake } from "./repair-brakes.ts";
import type { Verdict } from "./repair-plan.ts";

/** What holds a repair, and the way out, for people. */
export const brakeText = (brake: RepairBrake): string => brake.kind;

/** What becomes of an ill instance, for people. */
export const verdictText = (verdict: Verdict): string => verdict.kind;
