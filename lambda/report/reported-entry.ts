import type { Instant } from "../base/time.ts";
import type { DrainOutcome } from "../drain/drain-outcome.ts";
import type { EventOutcome } from "../interruption/event-outcome.ts";
import type { InterruptionEntry } from "../interruption/interruption-entry.ts";
import type { LaunchEntry } from "../launch/launch-entry.ts";
import type { LaunchOutcome } from "../launch/launch-outcome.ts";
import type { AnyEntry } from "../notice/entry.ts";
import { ofOutcomes } from "../notice/outcome.ts";
import type { NoticeDone } from "../notice/pass-entry.ts";
import type { Subject } from "../notice/subject.ts";

/** The entries that every function reports; other subjects add theirs. */
export type ReportedEntry = InterruptionEntry | LaunchEntry | NoticeDone;

/** The outcomes that every function reports. */
export type ReportedOutcome = DrainOutcome | EventOutcome | LaunchOutcome;

/** Finds the outcomes of some kinds. */
export const isOutcome = ofOutcomes<ReportedOutcome>();

/** An entry of any subject, with what it is about. */
export type RecordedEntry = AnyEntry & Subject;

/** An entry, and when it was made. */
export type HeardEntry<E extends AnyEntry = AnyEntry> = E & Subject & { readonly at: Instant };
