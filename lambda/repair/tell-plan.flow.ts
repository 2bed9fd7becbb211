import { timestamp } from "../base/time.ts";
import type { Journal } from "../registrations/journal.port.ts";
import type { Judged } from "./read-survey.flow.ts";
import { brakeText } from "./repair-brakes.ts";
import type { Case } from "./repair-plan.ts";
import { causeText } from "./repair-record.ts";
import { verdictText } from "./repair-texts.ts";

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

function tellCase(one: Case, journal: Journal): void {
  const { patient, node, illness, due, action } = one;
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
    verdict: verdictText(one),
  });
}

/** One entry for each kind of brake: it names those that it holds. */
function tellBrakes(cases: readonly Case[], journal: Journal): void {
  const held = cases.flatMap(({ patient, verdict }) =>
    verdict.kind === "held" ? verdict.brakes.map((brake) => ({ ...patient, brake })) : [],
  );
  for (const [brake, some] of Map.groupBy(held, ({ brake: { kind } }) => kind))
    for (const { group, brake: which } of some.slice(0, 1)) {
      const reason = brakeText(which, group);
      const instances = some.map(({ instance }) => instance);
      journal.record({ kind: "repair-held", brake, reason, group, instances });
    }
}
