import type { DrainOutcome } from "../lambda/drain/drain-outcome.ts";
import type { EventOutcome } from "../lambda/interruption/event-outcome.ts";
import type { LaunchOutcome } from "../lambda/launch/launch-outcome.ts";
import type { OwnOutcome } from "./own.ts";

/** The outcome of a notice of any subject. */
export type Outcome = DrainOutcome | EventOutcome | LaunchOutcome | OwnOutcome;

export type OutcomeOf<K extends Outcome["kind"]> = Extract<Outcome, { readonly kind: K }>;
