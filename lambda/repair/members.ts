import type { InstanceId } from "../base/ids.ts";
import { hours, type Instant, instant, later } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { GroupInstance } from "../group/scaling-group.ts";
import { type Diagnosis, diagnosisOfNode, diagnosisWithoutNode } from "./illness.ts";
import { type RebootMark, tryRebootMark } from "./repair-marks.ts";
import type { RepairPolicy, RepairSettings } from "./repair-policy.ts";
import { type RepairRecord, recordsIn } from "./repair-record.ts";
import type { Survey, SurveyGroup } from "./survey.ts";

/** An instance of a group, with its node and what is wrong with it. */
export interface Member {
  readonly instance: GroupInstance;
  readonly node: MachineNode | "none";
  readonly diagnosis: Diagnosis | "well";
  readonly reboot: RebootMark | "none";
  /** When its node was created or, without one, when it was launched; `undefined` when nobody knows. */
  readonly started: Instant | undefined;
}

/** A member that is ill. */
export interface IllMember extends Member {
  readonly diagnosis: Diagnosis;
}

/** A group with all that a pass knows of it. */
export interface GroupView {
  readonly group: SurveyGroup;
  readonly settings: RepairSettings;
  readonly refused: readonly string[];
  readonly members: readonly Member[];
  /** The newest first. */
  readonly records: readonly RepairRecord[];
  readonly now: Instant;
}

/** Whether something is wrong with a member. */
export const isIll = (member: Member): member is IllMember => member.diagnosis !== "well";

/** Whether the group's pods may run on a member. */
export const isServing = ({ instance: { state } }: Member): boolean => state === "InService";

/** Whether something has been wrong with a member for long enough. */
export const isDue = ({ diagnosis }: Member, now: Instant): boolean =>
  diagnosis !== "well" && diagnosis.due <= now;

/** Whether a member counts as ill in its group. A launch may lack its node for a while. */
export const isCountedIll = (member: Member, now: Instant): boolean =>
  isServing(member) && isIll(member) && (member.node !== "none" || isDue(member, now));

// A record from the future would count for ever. A few minutes may be another clock's.
const askew = hours(1);

/** Holds the instances of a survey and their nodes side by side. */
export function viewsOf(survey: Survey, policy: RepairPolicy): readonly GroupView[] {
  const nodes = nodesByInstance(survey.nodes);
  return survey.groups.map((group) => {
    const { tags, instances } = group.fleet;
    const { settings, refused } = policy.settingsFor(tags);
    const wait = { settings, group, survey, rules: policy.rules };
    const members = instances.map((one) => memberOf(one, nodes.get(one.id) ?? "none", wait));
    const records = recordsIn(tags).filter(({ at }) => at <= later(survey.now, askew));
    return { group, settings, refused, members, records, now: survey.now };
  });
}

/** Of several nodes with the same instance, the ready one counts, else the newest. */
function nodesByInstance(nodes: readonly MachineNode[]): ReadonlyMap<InstanceId, MachineNode> {
  const rank = ({ readiness }: MachineNode) => Number(readiness === "ready");
  const ordered = nodes.toSorted((a, b) => rank(a) - rank(b) || a.created - b.created);
  return new Map(ordered.map((node) => [node.instance, node]));
}

interface Known {
  readonly settings: RepairSettings;
  readonly group: SurveyGroup;
  readonly survey: Survey;
  readonly rules: RepairPolicy["rules"];
}

function memberOf(instance: GroupInstance, node: MachineNode | "none", known: Known): Member {
  const { settings, group, survey, rules } = known;
  const since = { now: survey.now, entered: group.entered.get(instance.id) ?? instant(0) };
  if (node !== "none") {
    const reboot = tryRebootMark(node) ?? "none";
    const diagnosis = diagnosisOfNode(node, rules, since);
    return { instance, node, reboot, started: node.created, diagnosis };
  }
  const started = survey.launched.get(instance.id);
  const diagnosis =
    started === undefined ? "well" : diagnosisWithoutNode(started, settings.withoutNode, since);
  return { instance, node, reboot: "none", started, diagnosis };
}
