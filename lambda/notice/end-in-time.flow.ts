import { sleepFor } from "../base/clock.port.ts";
import { faultOf } from "../base/fault.ts";
import { type Duration, type Instant, later, seconds } from "../base/time.ts";
import { faultEntry } from "./journal-of.flow.ts";
import type { PassPorts } from "./notice.port.ts";
import type { Pass } from "./outcome.ts";

/** The work of one pass, which may fail. */
export interface PassWork<Result, O> {
  readonly start: { readonly bounds: { readonly deadline: Instant } };
  work(): Promise<Result>;
  /** The delay within which a failed pass has to be repeated. */
  retryWithin(now: Instant): Duration;
  /** Ends the work undone, for this reason. */
  giveUp(reason: string): Promise<Pass<O>>;
}

const lateTries = seconds(20);
const pause = seconds(3);

/**
 * Does the work of a pass. Failed work is retried until the deadline, then given up, so that no instance is held for days.
 * A pass that began too late for that tries again by itself for a while: the first fault must not be its end.
 */
export function endInTime<Result, O>(
  pass: PassWork<Result, O>,
  ports: Pick<PassPorts, "clock" | "journal">,
): Promise<Pass<O> | Result> {
  const began = ports.clock.now();
  const { deadline } = pass.start.bounds;
  return tryUntil(began < deadline ? deadline : later(began, lateTries), pass, ports);
}

async function tryUntil<Result, O>(
  until: Instant,
  pass: PassWork<Result, O>,
  ports: Pick<PassPorts, "clock" | "journal">,
): Promise<Pass<O> | Result> {
  const { clock, journal } = ports;
  try {
    return await pass.work();
  } catch (cause) {
    const fault = faultOf(cause);
    const now = clock.now();
    if (now < pass.start.bounds.deadline) throw fault.within(pass.retryWithin(now));
    const isLast = !fault.retryable || later(now, pause) >= until;
    journal.record({ ...faultEntry(fault), retryable: !isLast });
    // Nobody else tries again.
    if (isLast) return pass.giveUp(fault.message);
    await sleepFor(pause, clock);
    return tryUntil(until, pass, ports);
  }
}
