import type { Tone } from "../../journal/tone.ts";
import type { Case } from "../../lambda/domain/repair/repair-plan.ts";
import { verdictText } from "../../lambda/domain/repair/repair-texts.ts";
import { timestamp } from "../../lambda/domain/time.ts";
import type { RepairCase } from "../json/repair-schema.ts";
import { inSeconds, type Line, line } from "../terminal/lines.ts";

/** An ill instance as it is told programs. */
export function repairCaseOf(one: Case): RepairCase {
  const { patient, node, illness, due, action, verdict } = one;
  const { condition, reason, message, since } = illness;
  return {
    ...patient,
    node: node === "none" ? "" : node.name,
    ...{ condition, reason, message, action },
    since: timestamp(since),
    due: timestamp(due),
    verdict: verdict.kind,
    words: verdictText(one),
    brakes: verdict.kind === "held" ? verdict.brakes.map(({ kind }) => kind) : [],
  };
}

const tones = {
  ...{ waits: "plain", repairs: "change", rebooting: "change", leaving: "faint" },
  ...{ held: "careful", "left-alone": "faint" },
} as const satisfies Record<RepairCase["verdict"], Tone>;

/** Tells people of ill instances: what is wrong, since when, and what becomes of each. */
export const repairLines = (cases: readonly RepairCase[], depth = 0): readonly Line[] =>
  cases.flatMap(({ instance, node, group, condition, reason, since, verdict, words }) => [
    line(
      "change",
      depth,
      `${node || instance}: ill since ${inSeconds(since)}: ${reasoned(condition, reason)}, group ${group}`,
    ),
    line(tones[verdict], depth + 1, words.replaceAll(/\.\d{3}Z/g, "Z")),
  ]);

const reasoned = (condition: string, reason: string): string => {
  const named = condition === "NoNode" ? "it has no node" : condition;
  return reason === "" ? named : `${named} (${reason})`;
};
