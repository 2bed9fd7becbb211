import { groupName, type InstanceId, instanceId, nodeName } from "../../lambda/base/ids.ts";
import {
  type Duration,
  type Instant,
  instant,
  later,
  minutes,
  timestamp,
} from "../../lambda/base/time.ts";
import { readSettings } from "../../lambda/config/form-reader.ts";
import { causeAnnotations } from "../../lambda/drain/cause.ts";
import { cordonedAnnotation, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { MachineNode, NodeCondition } from "../../lambda/drain/node.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import type { GroupInstance } from "../../lambda/group/scaling-group.ts";
import { written } from "../../lambda/group/tags.ts";
import { withoutNodeKey } from "../../lambda/repair/due-repair.ts";
import { illSinceAnnotation, illSinceOf } from "../../lambda/repair/ill-since.ts";
import { judgeRepairs } from "../../lambda/repair/judge-repairs.ts";
import { type RebootMark, rebootMarking, tryRebootMark } from "../../lambda/repair/repair-marks.ts";
import type { IllInstance, RepairPlan } from "../../lambda/repair/repair-plan.ts";
import {
  defaultRules,
  type RepairPolicy,
  type RepairSettings,
} from "../../lambda/repair/repair-policy.ts";
import { type RepairRecord, recordTag } from "../../lambda/repair/repair-record.ts";
import { repairSettings } from "../../lambda/repair/repair-settings.ts";
import type { Survey, SurveyGroup } from "../../lambda/repair/survey.ts";
import { anInstance, aScalingGroup, template } from "../group/group-builders.ts";
import { ago, aNode, noon } from "../support/builders.ts";

const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"] as const;

/** The id of the instance of that number. */
export const idOf = (number: number) => instanceId(`i-${String(number).padStart(17, "0")}`);

/** A condition that has been so for that many minutes; `type` may be followed by a slash and a reason. */
export function since(
  type: string,
  status: NodeCondition["status"],
  length: number,
): NodeCondition {
  const [name = "", reason = ""] = type.split("/");
  return { type: name, status, reason, message: "", since: ago(minutes(length)) };
}

/** The conditions of a node whose kubelet has been silent for that many minutes. */
export const silent = (length: number): Partial<MachineNode> => ({
  readiness: "unreachable",
  conditions: [since("Ready/NodeStatusUnknown", "Unknown", length)],
});

/** The conditions of a ready node with one of the agent's conditions. */
export const readyBut = (...conditions: readonly NodeCondition[]) => ({
  conditions: [since("Ready", "True", 600), ...conditions],
});

/** A node that has been ready for ten hours on the instance of that number. */
export const aSurveyNode = (number: number, change: Partial<MachineNode> = {}): MachineNode => ({
  ...aNode({ unschedulable: false }),
  name: nodeName(`node-${number}`),
  providerId: `aws:///${zones[number % 3]}/${idOf(number)}`,
  instance: idOf(number),
  created: ago(minutes(600)),
  bootId: `boot-of-${number}`,
  reported: instant(0),
  kubeletVersion: "v1.33.1",
  address: "",
  ...readyBut(),
  ...change,
});

/** A test's say on the instance of some number and its node; `none` for an instance without a node. */
export type Say = readonly [
  number: number,
  node: Partial<MachineNode> | "none",
  instance?: Partial<GroupInstance>,
];

/** What differs in a group from one that is well. */
export interface Told {
  readonly name?: string;
  readonly size?: number;
  readonly first?: number;
  readonly says?: readonly Say[];
  readonly records?: readonly RepairRecord[];
  readonly group?: Partial<SurveyGroup>;
  readonly scalingGroup?: Partial<SurveyGroup["scalingGroup"]>;
}

/** A group of ten with a node each, in three zones, and those nodes. Who has no node has been found so long ago. */
function aGroup(told: Told = {}): { group: SurveyGroup; nodes: readonly MachineNode[] } {
  const { name = "workers", size = 10, first = 0, says = [], records = [] } = told;
  const said = new Map(says.map((say) => [say[0], say]));
  const numbers = Array.from({ length: size }, (_, index) => first + index);
  const instances = numbers.map((number) =>
    anInstance({ id: idOf(number), zone: zones[number % 3], ...said.get(number)?.[2] }),
  );
  const nodes = numbers.flatMap((number) => {
    const [, node = {}] = said.get(number) ?? [];
    return node === "none" ? [] : [seenAtOnce(aSurveyNode(number, node))];
  });
  const sizes = { min: 0, max: 2000, desired: size };
  const scalingGroup = aScalingGroup({
    name: groupName(name),
    sizes,
    instances,
    ...told.scalingGroup,
  });
  const found = numbers.filter((number) => said.get(number)?.[1] === "none").slice(0, 5);
  const since = found.map((number) => [idOf(number), timestamp(ago(minutes(600)))]);
  const without =
    found.length === 0 ? {} : { [withoutNodeKey]: written(Object.fromEntries(since)) };
  const tags = { ...without, ...scalingGroup.tags, ...tagsOf(records) };
  const group = { scalingGroup: { ...scalingGroup, tags } };
  const quiet = { refresh: "none", failures: [], entered: new Map() } as const;
  return { group: { ...quiet, ...group, ...told.group }, nodes };
}

/** A pass has seen each illness as it began, unless the test says what passes have seen. */
function seenAtOnce(node: MachineNode): MachineNode {
  if (illSinceAnnotation in node.annotations) return node;
  const begun = node.conditions.filter(({ since }) => since > 0 && since < noon);
  const seen = begun.map((one) =>
    illSinceOf({ ...node, conditions: [one] }, defaultRules, one.since),
  );
  const text = seen.filter((one) => one !== "").join(", ");
  const own = text === "" ? {} : { [illSinceAnnotation]: text };
  return { ...node, annotations: { ...node.annotations, ...own } };
}

const tagsOf = (records: readonly RepairRecord[]): Record<string, string> =>
  Object.fromEntries(records.map(recordTag));

/** A survey of these groups at noon. */
export function aSurvey(groups: readonly Told[] = [{}], change: Partial<Survey> = {}): Survey {
  const built = groups.map(aGroup);
  return {
    now: noon,
    groups: built.map(({ group }) => group),
    nodes: built.flatMap(({ nodes }) => nodes),
    unmatched: [],
    launched: new Map(),
    lastTries: new Map(),
    shifted: [],
    reasons: drainReasons,
    ...change,
  };
}

/** A survey of one group in which the instances of these numbers have no node, and were launched that many minutes ago. */
export const aSurveyWithout = (launched: readonly (readonly [number, number])[], told: Told = {}) =>
  aSurvey(
    [{ ...told, says: [...(told.says ?? []), ...launched.map(([one]): Say => [one, "none"])] }],
    { launched: new Map(launched.map(([one, length]) => [idOf(one), ago(minutes(length))])) },
  );

const usualRepairs = readSettings(repairSettings, {});

/** The usual policy with other settings. */
export const aPolicy = (
  settings: Partial<RepairSettings> = {},
  rules = defaultRules,
): RepairPolicy => ({
  cluster: "demo",
  rules,
  every: minutes(5),
  settingsFor: () => ({ settings: { ...usualRepairs, ...settings }, refused: [] }),
});

/** A record of a replacement that began that many minutes ago. */
export const aRecord = (
  number: number,
  length: number,
  change: Partial<RepairRecord> = {},
): RepairRecord => ({
  instance: idOf(number),
  at: ago(minutes(length)),
  action: "replace",
  cause: "Ready/NodeStatusUnknown",
  version: `${template}:1`,
  inRow: 1,
  by: "nobody-yet",
  ...change,
});

/** The mark of a repair. */
export const markedIll = (at: Instant = noon): Partial<MachineNode> => ({
  unschedulable: true,
  annotations: {
    [markedAtAnnotation]: timestamp(at),
    [cordonedAnnotation]: "true",
    ...theRest(causeAnnotations({ reason: "ill", deadline: later(at, minutes(30)) })),
  },
});

const theRest = (annotations: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).flatMap(([k, v]) => (v === null ? [] : [[k, v]])));

/** The mark of a repair by reboot, at a stage that began that many minutes ago. */
export const rebooted = (
  stage: RebootMark["stage"],
  length: number,
  bootId = "boot-before",
): Partial<MachineNode> => ({
  ...markedIll(ago(minutes(length))),
  annotations: {
    ...markedIll(ago(minutes(length))).annotations,
    ...theRest(rebootMarking({ stage, bootId, at: ago(minutes(length)) }).annotations),
  },
});

/** The verdicts of a plan, by the number of the instance, with the kinds of the brakes. */
export const verdicts = (plan: RepairPlan): Readonly<Record<number, string>> =>
  Object.fromEntries(plan.cases.map((one) => [numberOf(one), wordsOf(one)]));

/** The number of a case's instance. */
export const numberOf = ({ target: patient }: IllInstance): number =>
  Number(patient.instance.slice(2));

function wordsOf({ verdict }: IllInstance): string {
  switch (verdict.kind) {
    case "held":
      return `held: ${verdict.brakes.map(({ kind }) => kind).join(", ")}`;
    case "repairs":
      return verdict.step.kind;
    case "left-alone":
      return `left alone: ${verdict.because.kind}`;
    default:
      return verdict.kind;
  }
}

/** What becomes of the ill ones in a survey. */
export const judged = (survey: Survey, settings: Partial<RepairSettings> = {}) =>
  verdicts(judgeRepairs(survey, aPolicy(settings)));

const everything = ["record", "mark", "health"] as const;

/** The survey after a plan's repairs have begun: all that they write, or a part of it because the pass was killed. */
export function afterwards(
  survey: Survey,
  plan: RepairPlan,
  written: readonly (typeof everything)[number][] = everything,
): Survey {
  const steps = new Map(
    plan.cases.flatMap(({ target: patient, verdict }) =>
      verdict.kind === "repairs" ? [[patient.instance, verdict.step] as const] : [],
    ),
  );
  const groupAfter = (group: SurveyGroup): SurveyGroup => {
    const { scalingGroup } = group;
    const records = scalingGroup.instances.flatMap(({ id }) => steps.get(id)?.record ?? []);
    const tags = written.includes("record") ? tagsOf(records) : {};
    const isTold = (one: GroupInstance) =>
      written.includes("health") && steps.get(one.id)?.kind === "replace";
    const instances = scalingGroup.instances.map((one) =>
      isTold(one) ? { ...one, health: "unhealthy" as const } : one,
    );
    return {
      ...group,
      scalingGroup: { ...scalingGroup, tags: { ...scalingGroup.tags, ...tags }, instances },
    };
  };
  const nodeAfter = (node: MachineNode): MachineNode => {
    const step = steps.get(node.instance);
    if (step === undefined || !written.includes("mark")) return node;
    const own = step.kind === "reboot" ? rebootAfter(node, step.begun) : {};
    const annotations = { ...node.annotations, ...markedIll(survey.now).annotations, ...own };
    return { ...node, unschedulable: true, annotations };
  };
  return { ...survey, groups: survey.groups.map(groupAfter), nodes: survey.nodes.map(nodeAfter) };
}

/** The pass that marks a node does not move on what a node says already: that comes after its drain. */
const rebootAfter = (node: MachineNode, at: Instant): Record<string, string> =>
  tryRebootMark(node) === undefined
    ? theRest(rebootMarking({ stage: "draining", bootId: node.bootId, at }).annotations)
    : {};

/** The survey some time later, when nothing else has changed. */
export const inTime = (survey: Survey, by: Duration): Survey => ({
  ...survey,
  now: later(survey.now, by),
});

/** The survey after the groups have replaced all that they call unhealthy, each with a node that is ready. */
export function replaced(survey: Survey): Survey {
  const gone = new Set<InstanceId>();
  const fresh: MachineNode[] = [];
  const groups = survey.groups.map((group) => {
    const instances = group.scalingGroup.instances.map((one) => {
      if (one.health === "healthy") return one;
      gone.add(one.id);
      const number = 1_000_000 + survey.now / 1000 + fresh.length;
      fresh.push(aSurveyNode(number, { created: survey.now }));
      return anInstance({ id: idOf(number), zone: one.zone });
    });
    return { ...group, scalingGroup: { ...group.scalingGroup, instances } };
  });
  const nodes = survey.nodes.filter(({ instance }) => !gone.has(instance));
  return { ...survey, groups, nodes: [...nodes, ...fresh] };
}
