import type { GroupName, InstanceId, NodeName } from "../base/ids.ts";
import { hours, type Instant, instant, later } from "../base/time.ts";
import { isMarkedFor, tryCause } from "../drain/cause.ts";
import { isCordonedByOthers, markedAtAnnotation } from "../drain/marking.ts";
import { byLikelihood, type MachineNode, runsOn } from "../drain/node.ts";
import type { Reasons } from "../drain/reason.ts";
import type { Activities } from "../group/group.port.ts";
import type { GroupInstance, ScalingGroup } from "../group/scaling-group.ts";
import { type Diagnosis, diagnosisOfNode, diagnosisWithoutNode } from "./illness.ts";
import { type RebootMark, tryRebootMark } from "./repair-marks.ts";
import type { RepairPolicy, RepairSettings } from "./repair-policy.ts";
import { ill } from "./repair-reason.ts";
import { type RepairRecord, recordsIn } from "./repair-record.ts";

/** A group, with its instance refresh and its recent scaling activities. */
export interface SurveyGroup extends Activities {
  readonly scalingGroup: ScalingGroup;
  readonly refresh: "active" | "none";
}

/** Groups, instances and nodes, as one pass finds them. */
export interface Survey {
  readonly now: Instant;
  readonly groups: readonly SurveyGroup[];
  /** All nodes of the cluster that run on EC2. */
  readonly nodes: readonly MachineNode[];
  /** Nodes without a provider ID whose instance nobody can tell. */
  readonly unmatched: readonly NodeName[];
  /** When the instances without a node were launched. Instances that EC2 no longer knows are missing. */
  readonly launched: ReadonlyMap<InstanceId, Instant>;
  /** When repairs were last tried that are tried in vain again and again. */
  readonly lastTries: ReadonlyMap<InstanceId, Instant>;
  /** The names of the zones that a zonal shift moves traffic away from, such as `eu-west-1a`. */
  readonly shifted: readonly string[];
  /** The reasons for which nodes may be drained. */
  readonly reasons: Reasons;
}

/** The group and the instance that a repair is about. */
export interface RepairTarget {
  readonly group: GroupName;
  readonly instance: InstanceId;
  /** `eu-west-1a` and the like. */
  readonly zone: string;
}

/** An instance of a group, with its node and its diagnosis. */
export interface GroupMember {
  readonly instance: GroupInstance;
  readonly node: MachineNode | "none";
  readonly diagnosis: Diagnosis | "well";
  readonly reboot: RebootMark | "none";
  /** When the node was created or, without a node, when the instance was launched; `undefined` if unknown. */
  readonly started: Instant | undefined;
}

export interface IllMember extends GroupMember {
  readonly diagnosis: Diagnosis;
}

/** A group, and all that a pass knows about it. */
export interface GroupView {
  readonly group: SurveyGroup;
  readonly settings: RepairSettings;
  readonly refused: readonly string[];
  readonly members: readonly GroupMember[];
  /** The newest first. */
  readonly records: readonly RepairRecord[];
  readonly now: Instant;
  readonly lastTries: Survey["lastTries"];
  readonly reasons: Reasons;
  readonly rules: RepairPolicy["rules"];
}

export const isIll = (member: GroupMember): member is IllMember => member.diagnosis !== "well";

/** Whether pods of the group may run on the member. */
export const isServing = ({ instance: { state } }: GroupMember): boolean => state === "InService";

/** Whether the member has been ill for long enough. */
export const isDue = ({ diagnosis }: GroupMember, now: Instant): boolean =>
  diagnosis !== "well" && diagnosis.due <= now;

/** Whether the member counts as ill in its group. A new instance has no node for a while. */
export const isCountedIll = (member: GroupMember, now: Instant): boolean =>
  isServing(member) && isIll(member) && (member.node !== "none" || isDue(member, now));

// A record or a mark with a time in the future would count for ever. A clock may be wrong by some minutes.
const askew = hours(1);

/** Matches the instances of a survey with their nodes. */
export function viewsOf(survey: Survey, policy: RepairPolicy): readonly GroupView[] {
  const nodes = nodesByInstance(survey.nodes);
  return survey.groups.map((group) => {
    const { tags, instances } = group.scalingGroup;
    const { settings, refused } = policy.settingsFor(tags);
    const wait = { settings, group, survey, policy };
    const members = instances.map((one) => memberOf(one, nodes.get(one.id) ?? "none", wait));
    const records = recordsIn(tags).filter(({ at }) => at <= later(survey.now, askew));
    const { now, reasons, lastTries } = survey;
    const { rules } = policy;
    return { group, settings, refused, members, records, now, lastTries, reasons, rules };
  });
}

/** If several nodes have the same instance, the ready one counts, or else the newest. */
const nodesByInstance = (nodes: readonly MachineNode[]): ReadonlyMap<InstanceId, MachineNode> =>
  new Map(nodes.toSorted(byLikelihood).map((node) => [node.instance, node]));

function memberOf(
  instance: GroupInstance,
  node: MachineNode | "none",
  known: {
    readonly settings: RepairSettings;
    readonly group: SurveyGroup;
    readonly survey: Survey;
    readonly policy: RepairPolicy;
  },
): GroupMember {
  const { settings, group, survey, policy } = known;
  const entered = group.entered.get(instance.id) ?? instant(0);
  const since = { now: survey.now, every: policy.every, entered };
  if (node !== "none") {
    const mark = tryRebootMark(node);
    const reboot = mark !== undefined && mark.at <= later(survey.now, askew) ? mark : "none";
    const diagnosis = diagnosisOfNode(node, policy.rules, since);
    return { instance, node, reboot, started: node.created, diagnosis };
  }
  const started = survey.launched.get(instance.id);
  const diagnosis =
    started === undefined ? "well" : diagnosisWithoutNode(started, settings.withoutNode, since);
  return { instance, node, reboot: "none", started, diagnosis };
}

/** Why an ill instance is left alone. */
export type LeftAlone =
  /** It has not come into service, or a launch hook holds it. */
  | { readonly kind: "launching"; readonly state: string }
  | { readonly kind: "warm-pool"; readonly state: string }
  | { readonly kind: "standby"; readonly state: string }
  /** Its group terminates it for another reason. */
  | { readonly kind: "leaving"; readonly state: string }
  | { readonly kind: "protected" }
  /** It is drained for another reason. */
  | { readonly kind: "marked"; readonly reason: string }
  /** Somebody has cordoned its node. */
  | { readonly kind: "cordoned" }
  /** Its node is known by name only, so it cannot be drained. */
  | { readonly kind: "no-provider-id" }
  /** Its node, which EC2 names, has the provider ID of another instance, so it cannot be drained. */
  | { readonly kind: "other-provider-id"; readonly providerId: string };

/** Why an ill instance is left alone; `undefined` if it may be repaired. */
export function tryLeftAlone(
  { instance, node }: GroupMember,
  { reasons }: GroupView,
): LeftAlone | undefined {
  const { state, protection } = instance;
  if (state !== "InService") return { kind: kindOfState(state), state };
  if (protection === "scale-in") return { kind: "protected" };
  if (node === "none") return undefined;
  const { providerId } = node;
  if (runsOn(node, instance.id)) return tryForeignMark(node, reasons);
  return providerId === "" ? { kind: "no-provider-id" } : { kind: "other-provider-id", providerId };
}

function kindOfState(state: string): "launching" | "leaving" | "standby" | "warm-pool" {
  if (state.startsWith("Pending")) return "launching";
  if (state.startsWith("Warmed")) return "warm-pool";
  return state.includes("Standby") ? "standby" : "leaving";
}

function tryForeignMark(node: MachineNode, reasons: Reasons): LeftAlone | undefined {
  if (isMarkedIll(node)) return undefined;
  if (markedAtAnnotation in node.annotations)
    return { kind: "marked", reason: tryCause(node, reasons)?.reason ?? "unknown" };
  return isCordonedByOthers(node, reasons) ? { kind: "cordoned" } : undefined;
}

export const isMarkedIll = (node: MachineNode): boolean => isMarkedFor(ill.reason, node);
