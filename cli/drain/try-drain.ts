import { rowOf } from "../../journal/outcome-table.ts";
import { countOf } from "../../lambda/domain/drain/hold-reason.ts";
import type { Ports } from "../../lambda/ports/ports.ts";
import { exitCodes } from "../exit-code.ts";
import { type NodeDrain, tryNode } from "./drain-passes.ts";
import type { DryRun } from "./drain-report.ts";

const nothing = { evicted: [], held: [], left: [] } as const;

/** Finds out pod by pod what the drain of a node would do, and changes nothing. */
export async function tryDrain(drain: NodeDrain, ports: Ports): Promise<DryRun> {
  const { name: node } = drain.node;
  const pass = await tryNode(drain, ports);
  if (!("outcome" in pass) || pass.outcome.kind !== "dry-run") {
    const line = "outcome" in pass ? rowOf(pass.outcome).words(pass.outcome) : "not known yet";
    return { node, ...nothing, exitCode: exitCodes.notDone, line };
  }
  const { kind: _, ...pods } = pass.outcome;
  const { evicted, held, left } = pods;
  const counts = `${countOf(evicted)} pods would be evicted, ${countOf(held)} held, ${countOf(left)} left alone`;
  const exitCode = held.length > 0 ? exitCodes.notDone : exitCodes.done;
  return { node, ...pods, exitCode, line: `dry run of ${node}, nothing was changed: ${counts}` };
}
