import type { InstanceId } from "../base/ids.ts";
import { type Duration, type Instant, later, timestamp } from "../base/time.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { ScalingGroup } from "../group/scaling-group.ts";
import type { RepairPorts } from "../registrations/ports.ts";
import type { Journal } from "../registrations/process.port.ts";
import type { RepairMessage } from "./repair-entry.ts";
import type { IllMark } from "./repair-marks.ts";
import type { IllInstance } from "./repair-plan.ts";
import type { RepairPolicy } from "./repair-policy.ts";
import { causeText, type RepairRecord, recordTag } from "./repair-record.ts";
import type { Survey } from "./survey.ts";

export interface RepairWorkPolicy {
  readonly drain: DrainPolicy;
  readonly repair: RepairPolicy;
  /** The interval of the schedule. */
  readonly every: Duration;
}

type ReportsDrain = <T>(
  instance: InstanceId,
  drain: (journal: Journal) => Promise<T>,
) => Promise<T>;

/** What one pass works with. */
export interface RepairTools {
  readonly message: RepairMessage;
  /** How often the message has been received. */
  readonly receives: number;
  readonly policy: RepairWorkPolicy;
  readonly ports: RepairPorts;
  readonly passEnds: Instant;
  readonly reportsDrain: ReportsDrain;
}

/** An ill instance, its group, and the mark for its node. */
export interface GroupCase {
  readonly ill: IllInstance;
  readonly scalingGroup: ScalingGroup;
  readonly mark: IllMark;
}

/** Combines an ill instance with its group. The drain of the node begins now. */
export function groupCase(
  ill: IllInstance,
  begun: Instant,
  { survey, tools: { policy, ports } }: { readonly survey: Survey; readonly tools: RepairTools },
): readonly GroupCase[] {
  const now = ports.clock.now();
  return survey.groups
    .filter(({ scalingGroup }) => scalingGroup.name === ill.patient.group)
    .map(({ scalingGroup }) => {
      const { taints } = policy.drain.settingsFor(scalingGroup.tags).settings;
      const { timeout } = policy.repair.settingsFor(scalingGroup.tags).settings;
      return { ill, scalingGroup, mark: { taints, begun, timeout, now } };
    });
}

/** Writes the record of a repair, unless the group has it. */
export async function writeRecord(
  { scalingGroup }: GroupCase,
  record: RepairRecord,
  { ports: { groups } }: RepairTools,
): Promise<void> {
  const [key, value] = recordTag(record);
  if (scalingGroup.tags[key] !== value) await groups.tag(scalingGroup.name, { [key]: value });
}

export function tellBegun({ ill, mark }: GroupCase, { ports }: RepairTools): void {
  ports.journal.record({
    kind: "repair-begun",
    ...subjectOf(ill),
    cause: causeText(ill.illness),
    action: ill.action,
    deadline: timestamp(later(mark.begun, mark.timeout)),
  });
}

/** The subject of an entry about an ill instance. */
export const subjectOf = ({ patient: { instance, group }, node }: IllInstance) => ({
  instance,
  group,
  node: node === "none" ? ("" as const) : node.name,
});
