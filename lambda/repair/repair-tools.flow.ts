import type { InstanceId } from "../base/ids.ts";
import { type Duration, type Instant, later, timestamp } from "../base/time.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { RepairPorts } from "./repair.port.ts";
import type { RepairMessage } from "./repair-entry.ts";
import type { IllMark } from "./repair-marks.ts";
import type { IllInstance } from "./repair-plan.ts";
import type { RepairPolicy } from "./repair-policy.ts";
import { causeText, type RepairRecord, recordTag } from "./repair-record.ts";
import type { StalledRepairs } from "./stalled-repairs.ts";

export interface RepairWorkPolicy {
  readonly drain: DrainPolicy;
  readonly repair: RepairPolicy;
  /** The interval of the schedule. */
  readonly every: Duration;
}

type ReportsDrain = <T>(
  instance: InstanceId,
  drain: (journal: RepairPorts["journal"]) => Promise<T>,
) => Promise<T>;

/** The tools of one pass. */
export interface RepairTools {
  readonly message: RepairMessage;
  /** The receive count of the message. */
  readonly receives: number;
  readonly policy: RepairWorkPolicy;
  readonly ports: RepairPorts;
  readonly passEnds: Instant;
  readonly reportsDrain: ReportsDrain;
  readonly stalled: StalledRepairs;
}

/** An ill instance that is repaired now, and the mark for its node. */
export interface DueCase extends IllInstance {
  readonly mark: IllMark;
}

/** Combines an ill instance with the mark for its node. The drain of the node begins then. */
export function dueCase(one: IllInstance, begun: Instant, { policy, ports }: RepairTools): DueCase {
  const { tags } = one;
  const { taints } = policy.drain.settingsFor(tags).settings;
  const { timeout } = policy.repair.settingsFor(tags).settings;
  return { ...one, mark: { taints, begun, timeout, now: ports.clock.now() } };
}

/** Writes the record of a repair, unless the group has it. */
export async function writeRecord(
  { target, tags }: DueCase,
  record: RepairRecord,
  { ports: { groups } }: RepairTools,
): Promise<void> {
  const [key, value] = recordTag(record);
  if (tags[key] !== value) await groups.tag(target.group, { [key]: value });
}

/** Notes whether a repair gets on. */
export const noteRepair = (
  { target }: IllInstance,
  repair: "goes on" | "stalls",
  { stalled, ports: { clock } }: RepairTools,
): void => stalled.note(target.instance, repair, clock.now());

/** Tells the journal that a repair has begun. */
export function tellBegun(one: DueCase, { ports }: RepairTools): void {
  const { action, mark } = one;
  const deadline = timestamp(later(mark.begun, mark.timeout));
  ports.journal.record({ kind: "repair-begun", ...subjectOf(one), action, deadline });
}

/** The subject of an entry about an ill instance, and its cause. */
export const subjectOf = ({ target: { instance, group }, node, illness }: IllInstance) => ({
  instance,
  group,
  node: node === "none" ? ("" as const) : node.name,
  cause: causeText(illness),
});
