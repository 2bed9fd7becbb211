import type { Tone } from "../../journal/line.ts";
import { inSeconds, timestamp } from "../../lambda/base/time.ts";
import type { IllInstance } from "../../lambda/repair/repair-plan.ts";
import { repairStateText } from "../../lambda/repair/repair-texts.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { RepairCase } from "./repair-schema.ts";

export function repairCaseOf(one: IllInstance): RepairCase {
  const { target: patient, node, illness, due, action, verdict } = one;
  const { condition, reason, message, since } = illness;
  return {
    ...patient,
    node: node === "none" ? "" : node.name,
    condition,
    reason,
    message,
    action,
    since: timestamp(since),
    due: timestamp(due),
    verdict: verdict.kind,
    words: repairStateText(one),
    brakes: verdict.kind === "held" ? verdict.brakes.map(({ kind }) => kind) : [],
  };
}

const tones = {
  waits: "plain",
  repairs: "change",
  asks: "change",
  rebooting: "change",
  leaving: "faint",
  held: "careful",
  "left-alone": "faint",
} as const satisfies Record<RepairCase["verdict"], Tone>;

/** Ill instances for people: what is wrong, since when, and what happens to each. */
export const repairLines = (cases: readonly RepairCase[], depth = 0): readonly Line[] =>
  cases.flatMap((one) => [
    line("change", depth, `${one.node || one.instance}: ${ailment(one)}, group ${one.group}`),
    line(tones[one.verdict], depth + 1, one.words),
  ]);

/**
 * The problem of an instance. A node that has not joined or is not ready counts as ill only after
 * its time is up.
 */
function ailment({ condition, reason, since, verdict }: RepairCase): string {
  const named = { NoNode: "without a node", Ready: "not ready" }[condition] ?? condition;
  const what = reason === "" ? named : `${named} (${reason})`;
  const isYoung = verdict === "waits" && named !== condition;
  return isYoung ? `${what} since ${inSeconds(since)}` : `ill since ${inSeconds(since)}: ${what}`;
}
