import { hours, type Instant, later, milliseconds } from "../base/time.ts";
import { isActive, isLeaving } from "../group/scaling-group.ts";
import type { RepairRecord } from "./repair-record.ts";
import {
  type GroupMember,
  type GroupView,
  isDue,
  isIll,
  isMarkedIll,
  tryLeftAlone,
} from "./survey.ts";

/** The time for which a record counts. */
export const recordLife = hours(24);

/** The members that are being repaired, or that the group replaces for another reason. */
export const repairing = (view: GroupView): readonly GroupMember[] =>
  view.members.filter((member) => isReplaced(member, view) || isMarkedForRepair(member, view));

/** Whether the group is already replacing a member, because of a repair or because it considers the instance unhealthy. */
export const isReplaced = ({ instance }: GroupMember, { records }: GroupView): boolean =>
  isLeaving(instance)
    ? instance.health === "unhealthy" || records.some((one) => one.instance === instance.id)
    : instance.health === "unhealthy" && isActive(instance);

// A reboot with its drain takes less, or writes its record again, at least every second hour.
const underWayFor = hours(3);

/**
 * Whether a member has the mark of a repair, and its group the record. A kubelet may write the mark onto its own node, and
 * would keep all others of the group from being repaired.
 */
const isMarkedForRepair = (member: GroupMember, view: GroupView): boolean =>
  member.node !== "none" &&
  isMarkedIll(member.node) &&
  tryLeftAlone(member, view) === undefined &&
  view.records.some(
    ({ instance, at }) =>
      instance === member.instance.id && at > later(view.now, milliseconds(-underWayFor)),
  );

/** The number of replacements in progress: launched but not ready, or not launched yet. */
export function awaited(view: GroupView): number {
  const open = openRecords(view);
  if (open.length === 0) return 0;
  const since = Math.min(...open.map(({ at }) => at));
  const { members, group, now } = view;
  const active = members.filter(({ instance }) => isActive(instance));
  const coming = active.filter((member) => isComing(member, since, now)).length;
  const leaving = members.filter((one) => isLeaving(one.instance) && isReplaced(one, view));
  const missing = group.scalingGroup.sizes.desired - active.length - leaving.length;
  return Math.min(open.length, coming + Math.max(0, missing));
}

/** The records of repairs whose instance has left the group, and whose replacement is not ready. */
export const openRecords = ({ members, records, now }: GroupView): readonly RepairRecord[] => {
  const present = new Set(members.map(({ instance }) => instance.id));
  return records.filter(
    ({ instance, action, by, at }) =>
      action === "replace" && by === "nobody-yet" && !present.has(instance) && isRecent(at, now),
  );
};

export const isRecent = (at: Instant, now: Instant): boolean =>
  at > later(now, milliseconds(-recordLife));

export const isWithinHour = (at: Instant, now: Instant): boolean =>
  at > later(now, milliseconds(-hours(1)));

/** Whether a member is new and not ready, and still has time: a node that is ill again at each look is new for an hour. */
function isComing(member: GroupMember, since: number, now: Instant): boolean {
  if (member.instance.state.startsWith("Pending")) return true;
  const { node, started } = member;
  if (started === undefined || started <= since || isDue(member, now)) return false;
  return (
    node === "none" || (isWithinHour(started, now) && (node.readiness !== "ready" || isIll(member)))
  );
}
