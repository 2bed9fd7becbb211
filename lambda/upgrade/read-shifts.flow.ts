import { Fault } from "../base/fault.ts";
import { type Instant, instant, later, minutes, seconds } from "../base/time.ts";
import type { UpgradePorts } from "./upgrade.port.ts";

type ShiftPorts = Pick<UpgradePorts, "clock" | "journal" | "shifts">;

/** Reads the ids of the zones that traffic is shifted away from. */
export type ShiftReader = (ports: ShiftPorts) => Promise<readonly string[]>;

const fresh = seconds(30);

// In a VPC without the endpoint, a request takes 12 seconds to fail.
const afterFault = minutes(5);

/** An answer, and how long it counts. */
interface ShiftAnswer {
  readonly zones: readonly string[];
  readonly until: Instant;
}

/**
 * Makes a reader that keeps an answer for half a minute. After a fault, which it logs, its last answer counts, and it does
 * not ask for five minutes.
 */
export function shiftReader(): ShiftReader {
  let last: ShiftAnswer = { zones: [], until: instant(0) };
  return async (ports) => {
    if (last.until <= ports.clock.now()) last = await askedAgain(last, ports);
    return last.zones;
  };
}

async function askedAgain(
  { zones: known }: ShiftAnswer,
  { clock, journal, shifts }: ShiftPorts,
): Promise<ShiftAnswer> {
  try {
    const zones = await shifts.away();
    return { zones, until: later(clock.now(), fresh) };
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const counted = known.length === 0 ? "they count as none" : `${known.join(", ")} still count`;
    const warnings = [`${counted}: ${cause.message}`];
    journal.record({ kind: "warning", about: "zonal shifts", warnings });
    return { zones: known, until: later(clock.now(), afterFault) };
  }
}
