import { wordsOfOutcome } from "../../journal/outcome-table.ts";
import { counted } from "../../lambda/base/counted.ts";
import { later, minutes } from "../../lambda/base/time.ts";
import type { DrainPorts } from "../../lambda/drain/drain.port.ts";
import { foundOut } from "../../lambda/drain/dry-run.flow.ts";
import { limited } from "../../lambda/drain/hold-reason.ts";
import { exitCodes } from "../exit-code.ts";
import type { EndOf, Report } from "../progress/report.ts";
import { type Line, line, linesText } from "../terminal/lines.ts";
import type { NodeDrain } from "./drain-passes.ts";

const nothing = { evicted: [], held: [], left: [] } as const;

/** Reports for each pod of a node what a drain would do, and changes nothing. */
export async function tryDrain(
  drain: Omit<NodeDrain, "reason">,
  ports: DrainPorts,
): Promise<EndOf<"dry-run">> {
  const { name: node } = drain.node;
  const passEnds = later(ports.clock.now(), minutes(5));
  const outcome = await foundOut({ ...drain, passEnds }, ports);
  if (outcome.kind !== "dry-run")
    return {
      kind: "dry-run",
      node,
      ...nothing,
      exitCode: exitCodes.notDone,
      line: wordsOfOutcome(outcome),
    };
  const { evicted, held, left } = outcome;
  const counts = `${counted(evicted.length, "pod")} would be evicted, ${held.length} held, ${left.length} left alone`;
  const exitCode = held.length > 0 ? exitCodes.notDone : exitCodes.done;
  return {
    ...outcome,
    node,
    exitCode,
    line: `dry run of ${node}, nothing was changed: ${counts}`,
  };
}

/** Reports what the drain of a node would do; for people, one line for each pod. */
export function tell(run: EndOf<"dry-run">, report: Report): void {
  report.say(`dry run of ${run.node}: nothing is changed`);
  const lines: readonly Line[] = [
    ...limited(run.evicted).map((pod) => line("good", 1, `evict   ${pod}`)),
    ...limited(run.held).map((pod) => line("careful", 1, `held    ${pod}`)),
    ...limited(run.left).map((pod) => line("faint", 1, `stays   ${pod}`)),
  ];
  report.end(run, { drawing: (width) => linesText(lines, width) });
}
