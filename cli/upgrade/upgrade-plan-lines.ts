import { counted } from "../../lambda/base/counted.ts";
import { seconds } from "../../lambda/base/time.ts";
import { boundText, unplacedText } from "../../lambda/upgrade/unplaced.ts";
import { range } from "../plan/words.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { UpgradePlan } from "./upgrade-schema.ts";

/** The plan of an upgrade, for people, one fact on each line. */
export const upgradePlanLines = (plan: UpgradePlan, depth = 0): readonly Line[] =>
  linesOf(plan).map((one) => ({ ...one, depth: one.depth + depth }));

function linesOf(plan: UpgradePlan): readonly Line[] {
  const { group, turns, surge, batch, sizes, sizesMeanwhile: meanwhile } = plan;
  const nodes = turns.flat().length;
  if (nodes === 0) return [line("good", 0, `${group}: ${nothing(plan)}`), ...shiftedLines(plan)];
  const time = range(seconds(plan.secondsAtLeast), seconds(plan.secondsAtMost));
  const more = `${counted(surge, "node")} more meanwhile: desired ${meanwhile.desired}, max ${meanwhile.max}`;
  const course = `${batch} at a time, in ${counted(turns.length, "batch", "batches")}: ${time}, besides the launches`;
  return [
    line("plain", 0, `${group}: ${counted(nodes, "node")} of ${sizes.desired} would be replaced`),
    ...(plan.opens === ""
      ? []
      : [
          line(
            "careful",
            1,
            `nothing begins before ${plan.opens}, when the maintenance window opens`,
          ),
        ]),
    ...shiftedLines(plan),
    line("plain", 1, more),
    line("plain", 1, course),
    ...turns.map((names, at) => line("faint", 2, `${at + 1}. ${names.join(", ")}`)),
    line(
      "plain",
      1,
      plan.cordon === "all" ? "all of them cordoned first" : "each cordoned right before its drain",
    ),
    ...plan.cordonBecause.map((why) => line("careful", 2, why)),
    ...blockerLines(plan),
    ...unplacedLines(plan),
    ...(plan.bound.length === 0 ? [] : [line("careful", 1, boundText(plan.bound))]),
    line("faint", 1, `not looked at: ${plan.notLookedAt.join(", ")}`),
  ];
}

const nothing = ({ shifted }: UpgradePlan): string =>
  shifted.length === 0
    ? "no node is old, so nothing would happen"
    : "nothing would happen before the end of a zonal shift";

const shiftedLines = ({ shifted }: UpgradePlan): readonly Line[] =>
  shifted.map(({ zone, nodes }) =>
    line(
      "careful",
      1,
      `traffic is shifted away from ${zone}, where ${counted(nodes.length, "old node")} would wait for the end of the zonal shift, unless --ignore-zonal-shift: ${nodes.join(", ")}`,
    ),
  );

function blockerLines({ blockers }: UpgradePlan): readonly Line[] {
  if (blockers.length === 0) return [line("good", 1, "no workload would block it")];
  return blockers.flatMap(({ workload, why, nodes, pods }) => [
    line("bad", 1, `${workload} would block it on ${counted(nodes.length, "node")}: ${why}`),
    line("plain", 2, pods.join(", ")),
  ]);
}

function unplacedLines({ unplaced, unplacedRefuses }: UpgradePlan): readonly Line[] {
  if (unplaced.length === 0)
    return [line("good", 1, "every pod would find a node, an old one that stays or a new one")];
  const [tone, end] = unplacedRefuses
    ? (["bad", "so it is refused without --allow-unschedulable"] as const)
    : (["careful", "and wait for one"] as const);
  return [
    line(tone, 1, `these pods would find no node, even a new one, ${end}:`),
    ...unplaced.map((one) => line("plain", 2, unplacedText(one))),
  ];
}
