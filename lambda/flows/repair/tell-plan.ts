import type { RepairBrake } from "../../domain/repair/repair-brakes.ts";
import type { Case } from "../../domain/repair/repair-plan.ts";
import { causeText } from "../../domain/repair/repair-record.ts";
import { brakeText, verdictText } from "../../domain/repair/repair-texts.ts";
import { timestamp } from "../../domain/time.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Judged } from "./read-survey.ts";

/** Tells the journal what a pass has found: how many, each that is ill, and what holds repairs. */
export function tellPlan({ survey, plan: { cases } }: Judged, journal: Journal): void {
  const { groups, nodes } = survey;
  const instances = groups.flatMap(({ fleet }) => fleet.instances).length;
  const counts = { groups: groups.length, instances, nodes: nodes.length, ill: cases.length };
  journal.record({ kind: "repair-pass", ...counts });
  for (const one of cases) tellCase(one, journal);
  for (const ofGroup of Map.groupBy(cases, ({ patient }) => patient.group).values())
    tellBrakes(ofGroup, journal);
}

function tellCase({ patient, node, illness, due, action, verdict }: Case, journal: Journal): void {
  journal.record({
    kind: "repair-ill",
    instance: patient.instance,
    group: patient.group,
    node: node === "none" ? "" : node.name,
    cause: causeText(illness),
    since: timestamp(illness.since),
    due: timestamp(due),
    action,
    message: illness.message,
    verdict: verdictText(verdict),
  });
}

/** One entry for each kind of brake: it names those that it holds. */
function tellBrakes(cases: readonly Case[], journal: Journal): void {
  const held = cases.flatMap(({ patient, verdict }) =>
    verdict.kind === "held" ? verdict.brakes.map((brake) => ({ ...patient, brake })) : [],
  );
  for (const [kind, some] of Map.groupBy(held, ({ brake }) => brake.kind))
    for (const { group, brake } of some.slice(0, 1))
      journal.record({ ...toldBrake(kind, brake), group, instances: some.map(idOf) });
}

const toldBrake = (brake: RepairBrake["kind"], which: RepairBrake) =>
  ({ kind: "repair-held", brake, reason: brakeText(which) }) as const;

const idOf = ({ instance }: Case["patient"]) => instance;
