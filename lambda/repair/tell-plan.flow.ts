import { someOf } from "../base/counted.ts";
import { timestamp } from "../base/time.ts";
import type { JudgedSurvey } from "./read-survey.flow.ts";
import type { RepairPorts } from "./repair.port.ts";
import type { IllInstance } from "./repair-plan.ts";
import { unreadableRecords } from "./repair-record.ts";
import { brakeText, repairStateText } from "./repair-texts.ts";
import { subjectOf } from "./repair-tools.flow.ts";
import type { Survey } from "./survey.ts";

/** Logs what a pass has found: the counts, each ill instance, and the brakes. */
export function tellPlan(
  { survey, plan: { cases } }: JudgedSurvey,
  journal: RepairPorts["journal"],
): void {
  const { groups, nodes } = survey;
  const instances = groups.flatMap(({ scalingGroup }) => scalingGroup.instances).length;
  const counts = { groups: groups.length, instances, nodes: nodes.length, ill: cases.length };
  journal.record({ kind: "repair-pass", ...counts });
  tellUnreadable(groups, journal);
  for (const one of cases) tellCase(one, journal);
  for (const ofGroup of Map.groupBy(cases, ({ target }) => target.group).values())
    tellBrakes(ofGroup, journal);
}

/** A group whose records others have changed may be repaired more often than its settings say. */
function tellUnreadable(groups: Survey["groups"], journal: RepairPorts["journal"]): void {
  const keys = groups.flatMap(({ scalingGroup: { name, tags } }) =>
    unreadableRecords(tags).map((key) => `${key} of ${name}`),
  );
  if (keys.length === 0) return;
  const warnings = [`tags that cannot be read count as none; remove them: ${someOf(keys)}`];
  journal.record({ kind: "warning", about: "records of repairs", warnings });
}

function tellCase(one: IllInstance, journal: RepairPorts["journal"]): void {
  const { illness, due, action } = one;
  journal.record({
    kind: "repair-ill",
    ...subjectOf(one),
    since: timestamp(illness.since),
    due: timestamp(due),
    action,
    message: illness.message,
    verdict: repairStateText(one),
  });
}

/** Logs an entry for each kind of brake, with the repairs that it holds. */
function tellBrakes(cases: readonly IllInstance[], journal: RepairPorts["journal"]): void {
  const held = cases.flatMap(({ target, verdict }) =>
    verdict.kind === "held" ? verdict.brakes.map((brake) => ({ ...target, brake })) : [],
  );
  for (const [brake, some] of Map.groupBy(held, ({ brake: { kind } }) => kind))
    for (const { group, brake: which } of some.slice(0, 1)) {
      const reason = brakeText(which, group);
      const instances = some.map(({ instance }) => instance);
      journal.record({ kind: "repair-held", brake, reason, group, instances });
    }
}
