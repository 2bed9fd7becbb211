import type { Instant } from "../base/time.ts";
import type { InterruptionEntry } from "../interruption/interruption-entry.ts";
import type { LaunchEntry } from "../launch/launch-entry.ts";
import type { AnyEntry } from "../notice/entry.ts";
import type { Subject } from "../notice/subject.ts";

/** The entries that every function reports; other subjects add theirs. */
export type ReportedEntry = InterruptionEntry | LaunchEntry;

/** An entry of any subject, with what it is about. */
export type RecordedEntry = AnyEntry & Subject;

/** An entry, and when it was made. */
export type HeardEntry<E extends AnyEntry = AnyEntry> = E & Subject & { readonly at: Instant };
