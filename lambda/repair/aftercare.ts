import type { InstanceId } from "../base/ids.ts";
import { later } from "../base/time.ts";
import { markedAtAnnotation } from "../drain/marking.ts";
import { type MachineNode, runsOn } from "../drain/node.ts";
import { tryKeeping } from "../drain/reason.ts";
import { isActive } from "../group/scaling-group.ts";
import { hasRebooted, rebootWait, withoutNodeKey, withoutNodeTag } from "./due-repair.ts";
import { illSinceAnnotation, illSinceOf } from "./ill-since.ts";
import { repairAnnotation } from "./repair-marks.ts";
import type { IllTrace, RecordUpkeep, RepairPlan, RepairVerdict } from "./repair-plan.ts";
import { type RepairRecord, recordPrefix } from "./repair-record.ts";
import { type GroupMember, type GroupView, isMarkedIll, isServing } from "./survey.ts";
import { openRecords } from "./under-way.ts";

/**
 * The nodes of a group from which the mark of a repair is removed: they are well again, or the group has been set to dry run
 * in the meantime. A node that is drained with its whole group stays cordoned.
 */
export const undoable = (view: GroupView): readonly MachineNode[] =>
  view.members.flatMap((member) =>
    member.node !== "none" &&
    isToBeOpened(member, view) &&
    tryKeeping(member.node, view.reasons) === undefined
      ? [member.node]
      : [],
  );

const isToBeOpened = (member: GroupMember, view: GroupView): boolean =>
  (view.settings.mode === "dry-run" ? isActive(member.instance) : isReady(member)) &&
  member.instance.health === "healthy" &&
  hasMark(member) &&
  !isRebootAwaited(member, view);

/** Whether the node has the mark of a repair. The mark of another drain is left to that drain. */
const hasMark = ({ node }: GroupMember): boolean =>
  node !== "none" &&
  (isMarkedIll(node) ||
    (repairAnnotation in node.annotations && !(markedAtAnnotation in node.annotations)));

/** Whether the machine may still reboot: EC2 may have accepted the call, and needs a while. */
const isRebootAwaited = ({ reboot, node }: GroupMember, { now }: GroupView): boolean =>
  reboot !== "none" &&
  reboot.stage !== "draining" &&
  !hasRebooted(node, reboot) &&
  later(reboot.at, rebootWait) > now;

const writesNode: readonly RepairVerdict["kind"][] = ["repairs", "asks"];

/** The nodes of a group whose `ill-since` changes, in a dry run too. One whose mark changes in this pass comes in the next. */
export const traces = (
  view: GroupView,
  { cases, undo }: Pick<RepairPlan, "cases" | "undo">,
): readonly IllTrace[] => {
  const begun = cases.filter(({ verdict }) => writesNode.includes(verdict.kind));
  const marked = new Set([...begun.map(({ node }) => node), ...undo]);
  return view.members.flatMap((member) => {
    const { node, instance } = member;
    if (node === "none" || !isServing(member) || !runsOn(node, instance.id)) return [];
    const text = illSinceOf(node, view.rules, view.now);
    const isWritten = (node.annotations[illSinceAnnotation] ?? "") === text;
    return isWritten || marked.has(node) ? [] : [{ node, text }];
  });
};

const keptAtLeast = 10;

/**
 * Which records of a group's repairs are updated or removed. A repair is done once its replacement is ready. In dry run,
 * only the instances without a node are written.
 */
export function recordUpkeep(view: GroupView): readonly RecordUpkeep[] {
  const { group, records, settings } = view;
  const isDry = settings.mode === "dry-run";
  const kept = Math.max(keptAtLeast, settings.perHour);
  const old = isDry ? [] : records.slice(kept).map(({ instance }) => `${recordPrefix}${instance}`);
  const done = (isDry ? [] : doneRecords(view)).filter(
    (record) => !old.includes(`${recordPrefix}${record.instance}`),
  );
  const withoutNode = withoutNodeTag(view);
  const said = group.scalingGroup.tags[withoutNodeKey] ?? "";
  const tags = withoutNode === "" || withoutNode === said ? {} : { [withoutNodeKey]: withoutNode };
  const remove = said !== "" && withoutNode === "" ? [...old, withoutNodeKey] : old;
  const isNothing = done.length + remove.length + Object.keys(tags).length === 0;
  return isNothing ? [] : [{ group: group.scalingGroup.name, done, tags, remove }];
}

/** The open records, the oldest first, each with a member that has become ready since. */
function doneRecords(view: GroupView): readonly RepairRecord[] {
  const taken = new Set<InstanceId | "nobody-yet">(view.records.map(({ by }) => by));
  const ready = view.members
    .filter(isReady)
    .toSorted((a, b) => Number(a.started) - Number(b.started));
  return openRecords(view)
    .toReversed()
    .flatMap((record) => {
      const one = ready.find(
        ({ instance, started }) => !taken.has(instance.id) && Number(started) > record.at,
      );
      if (one === undefined) return [];
      taken.add(one.instance.id);
      return [{ ...record, by: one.instance.id }];
    });
}

const isReady = ({ instance, node, diagnosis }: GroupMember): boolean =>
  isActive(instance) && node !== "none" && node.readiness === "ready" && diagnosis === "well";
