import { type Instant, instant, later, minutes } from "../base/time.ts";
import { isActive } from "../group/scaling-group.ts";
import { recordUpkeep, traces, undoable } from "./aftercare.ts";
import {
  groupBrakes,
  maintenanceBrakes,
  nodelessBrakes,
  type RepairBrake,
  replacementBrakes,
  sharedBrakes,
  slotBrakes,
  unmatchedBrakes,
  zoneBrakes,
} from "./brakes.ts";
import {
  isFor,
  isRebooting,
  isRebootOnRecord,
  rebootEnds,
  repairOf,
  tryRecordOf,
} from "./due-repair.ts";
import type { IllInstance, RepairPlan, RepairStep, RepairVerdict } from "./repair-plan.ts";
import type { RepairPolicy } from "./repair-policy.ts";
import { causeText, type RepairRecord, versionText } from "./repair-record.ts";
import { type SecondOpinion, secondOpinionOn } from "./second-opinion.ts";
import {
  type GroupView,
  type IllMember,
  isIll,
  isServing,
  type Survey,
  tryLeftAlone,
  viewsOf,
} from "./survey.ts";
import { isRecent, isReplaced, isWithinHour, recordLife } from "./under-way.ts";

/** Diagnoses the instances of a survey, and decides what to do about each now. */
export function judgeRepairs(survey: Survey, policy: RepairPolicy): RepairPlan {
  const views = viewsOf(survey, policy);
  const zones = zoneBrakes(views, survey.shifted);
  const shared = sharedBrakes(views, policy.settingsFor({}).settings.mostIll);
  const cases = views.flatMap((view) => {
    const whole = [...groupBrakes(view), ...shared];
    const nodeless = nodelessBrakes(view, views, policy.cluster);
    const brakesOf = (member: IllMember): readonly RepairBrake[] => [
      ...whole,
      ...(zones.get(member.instance.zone) ?? []),
      ...maintenanceBrakes(member),
      ...nodeless,
      ...(member.node === "none" ? unmatchedBrakes(survey) : []),
      ...rowBrakes(member, view),
    ];
    return casesOf(view, brakesOf, (member) => secondOpinionOn(member, view, policy));
  });
  const undo = views.flatMap(undoable);
  return {
    cases: cases.toSorted(byDue),
    undo,
    records: views.flatMap(recordUpkeep),
    traces: views.flatMap((view) => traces(view, { cases, undo })),
  };
}

const byDue = (
  a: Pick<IllInstance, "due" | "target">,
  b: Pick<IllInstance, "due" | "target">,
): number => a.due - b.due || (a.target.instance < b.target.instance ? -1 : 1);

type BrakesOf = (member: IllMember) => readonly RepairBrake[];
type OpinionOn = (member: IllMember) => SecondOpinion;

function casesOf(
  view: GroupView,
  brakesOf: BrakesOf,
  opinionOn: OpinionOn,
): readonly IllInstance[] {
  const ill = view.members.filter(isIll).filter((member) => isTold(member, view.now));
  const cases = ill
    .map((member) => ({ member, ...caseOf(member, view, opinionOn(member)) }))
    .toSorted(byDue);
  const held = new Map(cases.map(({ member }) => [member, brakesOf(member)]));
  const free = cases.flatMap(({ verdict, member }) =>
    verdict === "due" && held.get(member)?.length === 0 ? [member] : [],
  );
  const slots = slotBrakes(free, view);
  return cases.map(({ member, verdict, ...rest }) => {
    if (verdict !== "due") return { ...rest, verdict };
    const brakes = [...(held.get(member) ?? []), ...(slots.get(member) ?? []), ...dryRun(view)];
    if (brakes.length > 0) return { ...rest, verdict: { kind: "held", brakes } };
    const kind = opinionOn(member).kind === "wanted" ? "asks" : "repairs";
    return { ...rest, verdict: { kind, step: stepOf(member, rest.action, view) } };
  });
}

/** Whether the instance is too old to be a launch in progress. */
const isTold = (member: IllMember, now: Instant): boolean =>
  member.node !== "none" || isServing(member) || member.diagnosis.due <= now;

const dryRun = ({ settings: { mode } }: GroupView): readonly RepairBrake[] =>
  mode === "dry-run" ? [{ kind: "dry-run" }] : [];

type JudgedInstance = Omit<IllInstance, "verdict"> & { readonly verdict: RepairVerdict | "due" };

function caseOf(member: IllMember, view: GroupView, opinion: SecondOpinion): JudgedInstance {
  const { instance, node, diagnosis } = member;
  const { id, zone } = instance;
  const { name: group, tags } = view.group.scalingGroup;
  const { action, ...its } = repairOf(member, view);
  const due = opinion.kind === "given" ? opinion.by : its.due;
  return {
    target: { group, instance: id, zone },
    tags,
    node,
    illness: diagnosis.illness,
    action,
    due,
    verdict: verdictOf(member, due, view),
  };
}

function verdictOf(member: IllMember, due: Instant, view: GroupView): RepairVerdict | "due" {
  if (isReplaced(member, view)) return replacementOf(member, view);
  const because = tryLeftAlone(member, view);
  if (because !== undefined) return { kind: "left-alone", because };
  if (isRebooting(member, view)) {
    const watched = isRebootOnRecord(member, view) ? "closely" : "by the schedule";
    return { kind: "rebooting", until: rebootEnds(member, view), watched };
  }
  return due > view.now ? { kind: "waits", until: due } : "due";
}

/**
 * A replacement, or the brake that holds it: Auto Scaling keeps an unhealthy instance while the processes that replace it
 * are suspended.
 */
function replacementOf({ instance }: IllMember, view: GroupView): RepairVerdict {
  const brakes = isActive(instance) ? replacementBrakes(view) : [];
  return brakes.length > 0 ? { kind: "held", brakes } : { kind: "leaving" };
}

function stepOf(member: IllMember, action: IllInstance["action"], view: GroupView): RepairStep {
  const { instance, diagnosis, reboot } = member;
  const record = {
    instance: instance.id,
    at: begunAt(member, action, view),
    action,
    cause: causeText(diagnosis.illness),
    version: versionText(instance),
    inRow: inRow(member, view),
    by: "nobody-yet" as const,
  };
  if (action === "replace") return { kind: action, record };
  return { kind: action, record, begun: reboot === "none" ? view.now : reboot.at };
}

/**
 * When the repair began. A repair under way keeps its time, so its record does not change. After an hour it counts as a new
 * one.
 */
function begunAt(member: IllMember, action: IllInstance["action"], view: GroupView): Instant {
  const record = tryRecordOf(member, view);
  const isSame = record?.action === action && isFor(record, member);
  return isSame && isWithinHour(record.at, view.now) ? record.at : view.now;
}

const most = 3;

// Clocks differ, so a replacement may seem to be launched before the record was written.
const askew = minutes(5);

/** The earlier repairs for the same cause and the same version, after which this member was launched. */
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

/** The position in a row of replacements; 1 for an instance that replaces none. */
const inRow = (member: IllMember, view: GroupView): number =>
  1 + Math.max(0, ...before(member, view).map((record) => record.inRow));

/** The brake that holds a further replacement after several have not helped. */
function rowBrakes(member: IllMember, view: GroupView): readonly RepairBrake[] {
  const times = inRow(member, view) - 1;
  if (times < most) return [];
  const newest = Math.max(...before(member, view).map(({ at }) => at));
  const until = later(instant(newest), recordLife);
  const cause = causeText(member.diagnosis.illness);
  return [{ kind: "same-cause", cause, version: versionText(member.instance), times, until }];
}
