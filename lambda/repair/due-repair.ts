import type { Labels } from "../base/labels.ts";
import {
  earliest,
  type Instant,
  later,
  latest,
  milliseconds,
  minutes,
  timestamp,
  tryInstantOf,
} from "../base/time.ts";
import { wordsIn, written } from "../group/tags.ts";
import type { Diagnosis } from "./illness.ts";
import type { RebootMark } from "./repair-marks.ts";
import { type RepairRecord, recordPrefix } from "./repair-record.ts";
import {
  type GroupMember,
  type GroupView,
  type IllMember,
  isIll,
  isMarkedIll,
  isServing,
} from "./survey.ts";
import { isRecent } from "./under-way.ts";

/** The time for which a rebooted node may take to be well. */
export const rebootWait = minutes(10);

/** Which repair an ill member gets, and when. If a reboot did not help, or cannot be confirmed, the instance is replaced. */
export function repairOf(member: IllMember, view: GroupView): Pick<Diagnosis, "action" | "due"> {
  const { diagnosis, node, reboot } = member;
  if (node === "none") return { due: dueWithoutNode(member, view), action: "replace" };
  if (reboot !== "none") return afterReboot(member, view);
  const isFirst = node.bootId !== "" && !wasRebooted(member, view);
  return { due: diagnosis.due, action: isFirst ? diagnosis.action : "replace" };
}

/** The repair after a reboot. An illness that began after the reboot counts as a new one. */
function afterReboot(member: IllMember, view: GroupView): Pick<Diagnosis, "action" | "due"> {
  const { due, action, illness } = member.diagnosis;
  const until = rebootEnds(member, view);
  if (until > view.now) return { due, action };
  const next = isPerhapsUntold(member) ? action : "replace";
  return { action: next, due: illness.since <= until ? until : due };
}

/** Whether the function may have stopped before it called EC2 to reboot the instance. */
const isPerhapsUntold = ({ reboot, node }: IllMember): boolean =>
  reboot !== "none" && reboot.stage === "asking" && !hasRebooted(node, reboot);

/** Whether the member was rebooted recently, for an earlier illness. */
const wasRebooted = (member: IllMember, view: GroupView): boolean => {
  const record = tryRecordOf(member, view);
  return record?.action === "reboot" && !isFor(record, member) && isRecent(record.at, view.now);
};

/** The time by which a rebooted member has to be well. */
export function rebootEnds({ reboot }: Pick<IllMember, "reboot">, view: GroupView): Instant {
  if (reboot === "none") return view.now;
  const drain = reboot.stage === "draining" ? view.settings.timeout : milliseconds(0);
  return later(later(reboot.at, drain), rebootWait);
}

/** Whether a reboot may be under way, and the node still has time to become well. */
export const isRebooting = (member: IllMember, view: GroupView): boolean => {
  const { reboot, node } = member;
  if (reboot === "none" || node === "none") return false;
  const isTold = reboot.stage !== "draining" || hasRebooted(node, reboot);
  return isTold && rebootEnds(member, view) > view.now;
};

/** Whether the group has the record of a reboot that may still be under way. */
export function isRebootOnRecord(member: IllMember, view: GroupView): boolean {
  const record = tryRecordOf(member, view);
  return record?.action === "reboot" && view.now < rebootIsOver(record, view.settings);
}

/** When a reboot should be over, even if EC2 is asked for it twice. */
export const rebootIsOver = (
  { at }: Pick<RepairRecord, "at">,
  { timeout }: Pick<GroupView["settings"], "timeout">,
): Instant => later(at, milliseconds(timeout + 2 * rebootWait));

/** Whether the machine has started again since its reboot was planned. */
export const hasRebooted = (node: GroupMember["node"], { bootId }: RebootMark): boolean =>
  node !== "none" && node.bootId !== bootId;

/** The record of this member's repair. */
export const tryRecordOf = (
  { instance }: Pick<IllMember, "instance">,
  { records }: Pick<GroupView, "records">,
): RepairRecord | undefined => records.find((record) => record.instance === instance.id);

/** Whether a record is about the member's present illness. */
export const isFor = ({ at }: RepairRecord, { diagnosis }: IllMember): boolean =>
  at >= diagnosis.illness.since;

/** Whether the repair of a member has begun before this pass. */
export const hasBegun = (member: IllMember, view: GroupView): boolean =>
  (member.node !== "none" && isMarkedIll(member.node)) || tryRecordOf(member, view) !== undefined;

/**
 * The tag with which a group remembers since when instances in service have no node. A deleted Node leaves no trace of the
 * time of its deletion, and may be created again at once.
 */
export const withoutNodeKey = `${recordPrefix}without-node`;

// As many as fit into a tag. The others can wait, because only a few are repaired at the same time.
const most = 5;

/** When a member without a node is replaced. The time counts from the first pass that found no node, which may be this one. */
function dueWithoutNode({ instance, diagnosis }: IllMember, view: GroupView): Instant {
  const { now, settings } = view;
  const found = earliest(foundIn(view.group.scalingGroup.tags).get(instance.id) ?? now, now);
  return latest(diagnosis.due, later(found, settings.withoutNode));
}

/** The value of the tag: the instances without a node, and when a pass first found each. */
export function withoutNodeTag({ members, group, now }: GroupView): string {
  const before = foundIn(group.scalingGroup.tags);
  const found = members
    .filter(isIll)
    .filter((member) => member.node === "none" && isServing(member))
    .map(({ instance: { id } }) => [id, before.get(id) ?? now] as const)
    .toSorted(([a, since], [b, sinceThen]) => since - sinceThen || (a < b ? -1 : 1));
  return written(Object.fromEntries(found.slice(0, most).map(([id, at]) => [id, timestamp(at)])));
}

/** A time that nobody can read is `undefined`, as that of an instance which is missing. */
const foundIn = (tags: Labels): ReadonlyMap<string, Instant | undefined> =>
  new Map(Array.from(wordsIn(tags[withoutNodeKey] ?? ""), ([id, at]) => [id, tryInstantOf(at)]));
