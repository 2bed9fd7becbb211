import { Fault } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import { hours, later, milliseconds } from "../base/time.ts";
import { asSeen } from "../drain/as-seen.flow.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { MachineNode } from "../drain/node.ts";
import { isLeaving, type ScalingGroup } from "../group/scaling-group.ts";
import type { LaunchFacts } from "../group-work/machines.port.ts";
import { zonesNamed } from "../group-work/zone-names.ts";
import { judgeRepairs } from "./judge-repairs.ts";
import type { RepairPorts } from "./repair.port.ts";
import type { IllInstance, RepairPlan } from "./repair-plan.ts";
import type { RepairPolicy } from "./repair-policy.ts";
import { inServerTime } from "./server-time.ts";
import type { Survey, SurveyGroup } from "./survey.ts";

/** A survey, and the plan made from it. */
export interface JudgedSurvey {
  readonly survey: Survey;
  readonly plan: RepairPlan;
}

/** The ports that a survey is read through. They change nothing. */
export interface SurveyPorts
  extends Pick<
    RepairPorts,
    "clock" | "groupNodes" | "journal" | "reasons" | "shifts" | "sightings"
  > {
  readonly groups: Pick<RepairPorts["groups"], "activities" | "managed" | "refresh">;
  readonly machines: Pick<RepairPorts["machines"], "launches">;
}

/**
 * Reads groups, instances and nodes, and judges them. If an instance is ill, it also reads what may hold repairs in the
 * groups concerned, and judges again.
 */
export async function readSurvey({
  policy,
  ports,
  lastTries,
}: {
  readonly policy: {
    readonly drain: Pick<DrainPolicy, "managed">;
    readonly repair: RepairPolicy;
  };
  readonly ports: SurveyPorts;
  readonly lastTries: Survey["lastTries"];
}): Promise<JudgedSurvey> {
  const survey = { ...(await readAll(policy.drain.managed, ports)), lastTries };
  const plan = judgeRepairs(survey, policy.repair);
  const ill = new Set(plan.cases.filter(isIllInstance).map(({ target }) => target.group));
  if (ill.size === 0) return { survey, plan };
  const [groups, shifted] = await Promise.all([
    Promise.all(
      survey.groups.map((one) =>
        ill.has(one.scalingGroup.name) ? withDoings(one, survey, ports) : one,
      ),
    ),
    shiftedZones(survey, ports),
  ]);
  const closer = { ...survey, groups, shifted };
  return { survey: closer, plan: judgeRepairs(closer, policy.repair) };
}

const isIllInstance = ({ verdict: { kind } }: IllInstance): boolean => kind !== "left-alone";

async function readAll(
  managed: DrainPolicy["managed"],
  ports: SurveyPorts,
): Promise<Omit<Survey, "lastTries">> {
  const { groupNodes, machines, clock } = ports;
  // The groups are read before the nodes. An instance that registers in between then has its node.
  const found = await ports.groups.managed(managed);
  const read = await groupNodes.all();
  const all = read.map((node) => inServerTime(asSeen(node, ports), clock.now()));
  const doubtful = withoutOneNode(found, all);
  const launches = doubtful.length === 0 ? new Map() : await machines.launches(doubtful);
  const launched = new Map(Array.from(launches, ([id, { at }]) => [id, at]));
  const groups = found.map(
    (scalingGroup): SurveyGroup => ({
      scalingGroup,
      refresh: "none",
      failures: [],
      entered: new Map(),
    }),
  );
  const { reasons } = ports;
  const facts = matched(all, launches);
  return { now: clock.now(), groups, ...facts, launched, shifted: [], reasons };
}

/**
 * Matches a node that EC2 names by its name: the cloud controller may not have set its provider ID yet, or its kubelet may have
 * registered with the ID of another's instance. So of several nodes with the provider ID of one instance, its own counts.
 */
function matched(
  all: readonly MachineNode[],
  launches: ReadonlyMap<InstanceId, LaunchFacts>,
): Pick<Survey, "nodes" | "unmatched"> {
  const named = new Map(
    Array.from(launches, ([id, { names }]) => names.map((name) => [name, id] as const)).flat(),
  );
  const nodes = all.map((node) => {
    const instance = named.get(node.name);
    return instance === undefined ? node : { ...node, instance };
  });
  const strangers = nodes.filter(
    ({ instance, providerId }) => instance === "" && providerId === "",
  );
  const isNamed = ({ name, instance }: MachineNode) => named.get(name) === instance;
  const known = new Set(nodes.filter(isNamed).map(({ instance }) => instance));
  return {
    nodes: nodes.filter(
      (node) => node.instance !== "" && (isNamed(node) || !known.has(node.instance)),
    ),
    unmatched: strangers.map(({ name }) => name),
  };
}

/** The instances that no node names, or several. */
function withoutOneNode(
  groups: readonly ScalingGroup[],
  nodes: readonly MachineNode[],
): readonly InstanceId[] {
  const own = Map.groupBy(nodes, ({ instance }) => instance);
  return groups.flatMap(({ instances }) =>
    instances.filter((one) => !isLeaving(one) && own.get(one.id)?.length !== 1).map(({ id }) => id),
  );
}

const recent = hours(1);

async function withDoings(
  { scalingGroup }: SurveyGroup,
  { now }: Survey,
  { groups }: SurveyPorts,
): Promise<SurveyGroup> {
  const since = later(now, milliseconds(-recent));
  const [refresh, activities] = await Promise.all([
    groups.refresh(scalingGroup.name),
    groups.activities(scalingGroup.name, since),
  ]);
  return { scalingGroup, refresh, ...activities };
}

/** If zonal shifts cannot be read, the log says so. Zones in which all nodes are ill are always left alone. */
async function shiftedZones(
  { nodes }: Survey,
  { shifts, journal }: SurveyPorts,
): Promise<readonly string[]> {
  try {
    return zonesNamed(await shifts.away(), nodes);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const warnings = [`they count as none: ${cause.message}`];
    journal.record({ kind: "warning", about: "zonal shifts", warnings });
    return [];
  }
}
