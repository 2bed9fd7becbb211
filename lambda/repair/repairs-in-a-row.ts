import { instant, later, minutes } from "../base/time.ts";
import type { GroupView, IllMember } from "./members.ts";
import type { RepairBrake } from "./repair-brakes.ts";
import { causeText, type RepairRecord, versionText } from "./repair-record.ts";
import { isRecent, recordLife } from "./under-way.ts";

const most = 3;

// Clocks differ: a replacement may seem to be launched before its record was written.
const askew = minutes(5);

/** The earlier repairs for the same cause, of the same version, after which this member was launched. */
function before(member: IllMember, { records, now }: GroupView): readonly RepairRecord[] {
  const { instance, started } = member;
  const cause = causeText(member.diagnosis.illness);
  const version = versionText(instance);
  const isBefore = ({ at }: RepairRecord) =>
    started !== undefined && at < later(started, askew) && isRecent(at, now);
  return records
    .filter((one) => one.instance !== instance.id && one.action === "replace")
    .filter((one) => one.cause === cause && one.version === version && isBefore(one));
}

/** The place of a repair in its row; 1 for an instance that is no replacement. */
export const inRow = (member: IllMember, view: GroupView): number =>
  1 + Math.max(0, ...before(member, view).map((record) => record.inRow));

/** Holds the next replacement in a row once replacing has not helped. */
export function rowBrakes(member: IllMember, view: GroupView): readonly RepairBrake[] {
  const times = inRow(member, view) - 1;
  if (times < most) return [];
  const newest = Math.max(...before(member, view).map(({ at }) => at));
  const until = later(instant(newest), recordLife);
  const cause = causeText(member.diagnosis.illness);
  return [{ kind: "same-cause", cause, version: versionText(member.instance), times, until }];
}
