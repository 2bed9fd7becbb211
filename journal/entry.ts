import type { Instant } from "../lambda/base/time.ts";
import type { InterruptionEntry } from "../lambda/interruption/interruption-entry.ts";
import type { LaunchEntry } from "../lambda/launch/launch-entry.ts";
import type { NoticeDone } from "../lambda/notice/pass-entry.ts";
import type { Subject } from "../lambda/notice/subject.ts";
import type { ReportEntry } from "../lambda/report/report-entry.ts";
import type { Outcome } from "./outcome.ts";
import type { OwnEntry } from "./own.ts";

/** All entries of the journal. The command line and the tests read what the functions have written. */
export type Entry = InterruptionEntry | LaunchEntry | NoticeDone<Outcome> | OwnEntry | ReportEntry;

/** An entry with its subject and the time at which it was made. */
export type Dated = Entry &
  Subject & {
    readonly at: Instant;
    /** The number of list items that its line in the log had no room for. @default none */
    readonly cut?: number;
  };
