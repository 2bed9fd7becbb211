import { type Keeper, release } from "../notice/keeper.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { DrainOutcome, DrainPass } from "./drain-outcome.ts";

/** Releases an instance whose drain is over, or has it kept if its time was up first and its group wants that. */
export function releaseDrained(
  keeper: Keeper,
  outcome: DrainOutcome,
  ports: DrainPorts,
): Promise<DrainPass> {
  const isKept = keeper.kind === "hook" && keeper.atDeadline === "keep";
  if (outcome.kind === "expired" && isKept)
    return release(keeper, { ...outcome, kind: "kept" }, ports, {
      result: "ABANDON",
      ifCompleted: "lost",
    });
  const isDrained = outcome.kind === "drained" || outcome.kind === "forced";
  const ifCompleted = isDrained ? "stands" : "lost";
  return release(keeper, outcome, ports, { result: "CONTINUE", ifCompleted });
}
