import type { BoundsAtStart } from "../domain/notice/drain-bounds.ts";
import type { Pass } from "../domain/notice/outcome.ts";
import type { Duration, Instant } from "../domain/time.ts";
import { faultOf } from "../fault.ts";
import type { Ports } from "../ports/ports.ts";
import { faultEntry } from "./fault-entry.ts";

/** The work of one pass, which may fail. */
export interface PassWork<Result> {
  readonly start: BoundsAtStart;
  work(): Promise<Result>;
  /** How soon the pass has to be repeated if it fails now. */
  retryWithin(now: Instant): Duration;
  /** Ends the work undone, for this reason. */
  giveUp(reason: string): Promise<Pass>;
}

/** Does the work of a pass. Failed work is retried until the deadline, then given up, so that no instance is held for days. */
export async function endInTime<Result>(
  pass: PassWork<Result>,
  { clock, journal }: Pick<Ports, "clock" | "journal">,
): Promise<Pass | Result> {
  try {
    return await pass.work();
  } catch (cause) {
    const fault = faultOf(cause);
    const now = clock.now();
    if (now < pass.start.bounds.deadline) throw fault.within(pass.retryWithin(now));
    // Nobody tries again: this is the end.
    journal.record({ ...faultEntry(fault), retryable: false });
    return pass.giveUp(fault.message);
  }
}
