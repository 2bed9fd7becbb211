import type { Notice } from "../../domain/notice/notice.ts";
import type { Outcome, Pass } from "../../domain/notice/outcome.ts";
import { noticeTitle } from "../../domain/notice/title.ts";
import { type Instant, later } from "../../domain/time.ts";
import { Fault } from "../../fault.ts";
import { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Journal } from "../../ports/journal.ts";
import { faultEntry } from "../fault-entry.ts";
import type { Received } from "./work-on-notice.ts";

/** How a notice that came by no queue is worked on: there is nobody to bring it again. */
export interface AnswerDirectOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  /** No pass starts after this. */
  readonly lastStart: Instant;
  readonly work: (received: Received) => Promise<Pass>;
}

/** What became of a notice; `unfinished` when the invocation's time was up first. */
export type DirectOutcome = Outcome | { readonly kind: "unfinished" };

/** Runs passes over a notice until it is done or the time is up; what breaks is told, and thrown. */
export async function answerDirect(
  noticed: Notice | Fault,
  options: AnswerDirectOptions,
): Promise<DirectOutcome> {
  try {
    if (noticed instanceof Fault) throw noticed;
    return await passes(noticed, options);
  } catch (cause) {
    options.journal.record(faultEntry(cause));
    throw cause;
  }
}

async function passes(notice: Notice, options: AnswerDirectOptions): Promise<DirectOutcome> {
  const title = noticeTitle(notice);
  for (let receives = 1; ; receives += 1) {
    options.journal.record({ kind: "pass-started", notice: title, receives });
    const pass = await options.work({ notice, receives });
    if (pass.kind === "done") {
      options.journal.record({ kind: "notice-done", notice: title, outcome: pass.outcome });
      return pass.outcome;
    }
    const next = later(options.clock.now(), pass.wait);
    if (next > options.lastStart) return { kind: "unfinished" };
    await options.clock.sleep(next, new Bell());
  }
}
