import { wordsOfOutcome } from "../../journal/outcome-table.ts";
import { counted } from "../../lambda/base/counted.ts";
import { later, minutes } from "../../lambda/base/time.ts";
import { foundOut } from "../../lambda/drain/dry-run.flow.ts";
import type { Ports } from "../../lambda/registrations/ports.ts";
import { exitCodes } from "../exit-code.ts";
import type { NodeDrain } from "./drain-passes.ts";
import type { DryRun } from "./drain-report.ts";

const nothing = { evicted: [], held: [], left: [] } as const;

/** Finds out pod by pod what the drain of a node would do, and changes nothing. */
export async function tryDrain(drain: Omit<NodeDrain, "reason">, ports: Ports): Promise<DryRun> {
  const { name: node } = drain.node;
  const passEnds = later(ports.clock.now(), minutes(5));
  const outcome = await foundOut({ ...drain, passEnds }, ports);
  if (outcome.kind !== "dry-run")
    return { node, ...nothing, exitCode: exitCodes.notDone, line: wordsOfOutcome(outcome) };
  const { kind: _, ...pods } = outcome;
  const { evicted, held, left } = pods;
  const counts = `${counted(evicted.length, "pod")} would be evicted, ${held.length} held, ${left.length} left alone`;
  const exitCode = held.length > 0 ? exitCodes.notDone : exitCodes.done;
  return { node, ...pods, exitCode, line: `dry run of ${node}, nothing was changed: ${counts}` };
}
