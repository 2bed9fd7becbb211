import { type Handback, waitBeforePass } from "../drain/next-pass.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Pass } from "./outcome.ts";

/** Hands back a notice that is not done, and says what is left, one line for each thing. */
export function handBack(
  left: readonly string[],
  handback: Omit<Handback, "now">,
  { clock, journal }: Pick<Ports, "clock" | "journal">,
): Pass {
  const wait = waitBeforePass({ ...handback, now: clock.now() });
  journal.record({ kind: "pass-ended", left, wait });
  return { kind: "again", wait };
}
