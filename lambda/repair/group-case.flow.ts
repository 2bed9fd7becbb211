import { type Instant, later, timestamp } from "../base/time.ts";
import type { ScalingGroup } from "../group/scaling-group.ts";
import type { IllMark } from "./repair-marks.ts";
import type { Case } from "./repair-plan.ts";
import { causeText, type RepairRecord, recordTag } from "./repair-record.ts";
import type { RepairTools } from "./repair-tools.flow.ts";
import type { Survey } from "./survey.ts";

/** An ill instance, its group, and how its node is marked. */
export interface GroupCase {
  readonly ill: Case;
  readonly fleet: ScalingGroup;
  readonly mark: IllMark;
}

/** Puts a case and its group together; the drain of the node begins then. */
export function groupCase(
  ill: Case,
  begun: Instant,
  { survey, tools: { policy, ports } }: { readonly survey: Survey; readonly tools: RepairTools },
): readonly GroupCase[] {
  const now = ports.clock.now();
  return survey.groups
    .filter(({ fleet }) => fleet.name === ill.patient.group)
    .map(({ fleet }) => {
      const { taints } = policy.drain.settingsFor(fleet.tags).settings;
      const { timeout } = policy.repair.settingsFor(fleet.tags).settings;
      return { ill, fleet, mark: { taints, begun, timeout, now } };
    });
}

/** Writes the record of a repair, unless the group has it already. */
export async function writeRecord(
  { fleet }: GroupCase,
  record: RepairRecord,
  { ports: { groups } }: RepairTools,
): Promise<void> {
  const [key, value] = recordTag(record);
  if (fleet.tags[key] !== value) await groups.tag(fleet.name, { [key]: value });
}

/** Tells the journal that a repair has begun. */
export function tellBegun({ ill, mark }: GroupCase, { ports }: RepairTools): void {
  ports.journal.record({
    kind: "repair-begun",
    ...subjectOf(ill),
    cause: causeText(ill.illness),
    action: ill.action,
    deadline: timestamp(later(mark.begun, mark.timeout)),
  });
}

/** What an entry about a case names. */
export const subjectOf = ({ patient: { instance, group }, node }: Case) => ({
  instance,
  group,
  node: node === "none" ? ("" as const) : node.name,
});
