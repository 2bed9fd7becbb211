import type { Dated } from "../../journal/entry.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { between, type Instant, never, timestamp, wholeSeconds } from "../../lambda/base/time.ts";
import { tryCause } from "../../lambda/drain/cause.ts";
import type { DrainPolicy, DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { lateSinceAnnotation, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { type Node, runsOn } from "../../lambda/drain/node.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import type { GroupInstance, ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { tracesOn } from "../../lambda/interruption/maintenance-trace.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import {
  allGroups,
  type HooksByOwner,
  hooksAt,
  isManagedAt,
  mayBeOf,
} from "../connect/groups-at.ts";
import type { ClusterLook } from "./cluster-look.ts";
import type { LeftPod } from "./left-pod-schema.ts";
import { forcesByGroup } from "./own-status.ts";
import type { ClusterStatus, HeldInstanceStatus, MarkedNode } from "./status-schema.ts";
import { hasLetGo, isDone, noticeOf, refusalsOn, underWay } from "./under-way.ts";

const unread = {
  heartbeatAgeSeconds: null,
  passes: null,
  lastFault: "",
  isStopped: false,
  ignoredFor: "",
} as const;

export interface StatusFacts {
  readonly name: string;
  readonly parts: DeploymentParts;
  /** True if the status is about this group and node. */
  readonly isWanted: (place: { readonly group: string; readonly node: string }) => boolean;
  readonly now: Instant;
  readonly cluster: ClusterLook;
  readonly policy: DrainPolicy;
  readonly nodes: readonly Node[];
  readonly entries: readonly Dated[];
  /** False if the log could not be read to its end, so that no entry means nothing. */
  readonly isLogRead: boolean;
  readonly queue: ClusterStatus["queue"];
  readonly groups: readonly ScalingGroup[];
}

/** True if an instance belongs to this cluster: its group is managed or has the cluster's tag, or the instance has a node. */
export function isOfCluster(
  { instance, group }: HookedInstance,
  { name, parts, nodes }: StatusFacts,
): boolean {
  if (parts.config.kind === "known" || `kubernetes.io/cluster/${name}` in group.tags) return true;
  return nodes.some((node) => runsOn(node, instanceId(instance)));
}

/** The reports about the instances that hooks hold. */
export async function heldReports(
  held: readonly HookedInstance[],
  seen: StatusFacts,
): Promise<readonly HeldInstanceStatus[]> {
  const wanted = held
    .map((one) => ({ ...one, node: nodeOf(one.instance, seen) }))
    .filter(({ group, node }) => seen.isWanted({ group: group.name, node: node?.name ?? "" }));
  return Promise.all(wanted.map(({ node, ...one }) => heldReport(one, node, seen)));
}

const nodeOf = (instance: string, { nodes }: StatusFacts): Node | undefined =>
  nodes.find((node) => runsOn(node, instanceId(instance)));

async function heldReport(
  held: HookedInstance,
  node: Node | undefined,
  seen: StatusFacts,
): Promise<HeldInstanceStatus> {
  const { group, launchHooks: _, ...others } = held;
  const its = seen.isLogRead ? underWay(instanceId(held.instance), held.hooks, seen) : unread;
  const isLetGo = seen.isLogRead && isOnlyOthers(held, seen.entries);
  const drain = drainOf(held, seen);
  const settings = isLetGo || !held.isManaged ? unforced(drain) : drain;
  const notice = held.hooks.length === 0 ? "unknown" : noticeOf(its, seen.queue);
  return {
    ...others,
    ...its,
    ...(isLetGo && { hooks: [] }),
    group: group.name,
    notice: isLetGo ? "done" : notice,
    node: node === undefined ? "none" : await reportOn(node, settings, seen),
  };
}

/** A drain that is over breaks no budget any more. */
const unforced = (drain: DrainSettings | "no drain"): DrainSettings | "no drain" =>
  drain === "no drain" ? drain : { ...drain, force: "never" };

/** True if only hooks of others hold the instance now, by the log: Auto Scaling does not say which hooks are completed. */
export const isOnlyOthers = (
  { instance, hooks, otherHooks }: Pick<HookedInstance, "hooks" | "instance" | "otherHooks">,
  entries: readonly Dated[],
): boolean => otherHooks.length > 0 && hasLetGo(instanceId(instance), hooks, entries);

/** The reports about marked nodes whose instances no hook holds. */
export async function markedReports(
  held: readonly HookedInstance[],
  seen: StatusFacts,
): Promise<readonly MarkedNode[]> {
  const wanted = seen.nodes
    .filter(isMarked)
    .filter((node) => !held.some(({ instance }) => runsOn(node, instanceId(instance))))
    .map((node) => ({ node, group: groupOf(node, seen) }))
    .filter(({ node, group }) => seen.isWanted({ group: group?.name ?? "", node: node.name }));
  const drainOf = (node: Node, group: ScalingGroup | undefined) =>
    isDrained(node) ? unheldDrain(node, group, seen) : "no drain";
  return Promise.all(wanted.map(({ node, group }) => reportOn(node, drainOf(node, group), seen)));
}

/** The state of a node's instance in its group; `gone` if no managed group has it, empty if the groups cannot be read. */
function stateOf(node: Node, { groups }: StatusFacts): string {
  const all = groups.flatMap(({ instances }) => instances);
  const own = all.find(({ id }) => runsOn(node, instanceId(id)));
  return own?.state ?? (groups.length === 0 ? "" : "gone");
}

const groupOf = (node: Node, { groups }: StatusFacts): ScalingGroup | undefined =>
  groups.find(({ instances }) => instances.some(({ id }) => runsOn(node, instanceId(id))));

/** The drain of a held instance's node; none if it is launching. */
const drainOf = (
  { state, group }: HookedInstance,
  { policy }: StatusFacts,
): DrainSettings | "no drain" =>
  state.includes("Terminating") ? policy.settingsFor(group.tags).settings : "no drain";

/** The drain of a node that no hook holds. Budgets are overridden only if the reason and the group are known to allow it. */
function unheldDrain(
  node: Node,
  group: ScalingGroup | undefined,
  seen: StatusFacts,
): DrainSettings {
  const { settings } = seen.policy.settingsFor(group?.tags ?? {});
  const forces = group !== undefined && mayForce(node, group) && !isOver(node, seen);
  return forces ? settings : { ...settings, force: "never" };
}

/** True if the drain of a node that no hook holds has ended, so that nobody deletes its pods any more. */
const isOver = (node: Node, seen: StatusFacts): boolean =>
  tryCause(node, drainReasons)?.reason === "terminating" || isDone(node, seen.entries);

function mayForce(node: Node, { tags }: ScalingGroup): boolean {
  const reason = tryCause(node, drainReasons)?.reason ?? "requested";
  return forcesByGroup[reason]?.(tags) ?? !["requested", "evacuated"].includes(reason);
}

/** True if a node that no hook holds is drained. A node at risk is not. */
const isDrained = (node: Node): boolean =>
  (tryCause(node, drainReasons)?.reason ?? "at-risk") !== "at-risk";

async function reportOn(
  node: Node,
  settings: DrainSettings | "no drain",
  seen: StatusFacts,
): Promise<MarkedNode> {
  const pods =
    settings === "no drain"
      ? []
      : await seen.cluster.leftOn(node, settings, refusalsOn(node, seen.entries));
  return nodeReport(node, pods, seen);
}

/** The report about a node's mark, with the remaining pods. */
function nodeReport(node: Node, pods: readonly LeftPod[], seen: StatusFacts): MarkedNode {
  const { now } = seen;
  const { reason = "", deadline = never } = tryCause(node, drainReasons) ?? {};
  return {
    node: node.name,
    readiness: node.readiness,
    instanceState: stateOf(node, seen),
    cause: reason,
    markedAt: node.annotations[markedAtAnnotation] ?? "",
    lateSince: node.annotations[lateSinceAnnotation] ?? "",
    deadline: deadline === never ? "" : timestamp(deadline),
    secondsLeft: deadline === never ? null : wholeSeconds(between(now, deadline)),
    plannedWork: plannedWork(node),
    pods,
    volumes: node.volumes,
  };
}

/** The maintenance that AWS has scheduled for the host of a node, and has not cancelled. */
const plannedWork = (node: Node): MarkedNode["plannedWork"] =>
  tracesOn(node)
    .filter(({ startTime }) => startTime !== never)
    .map(({ event, startTime }) => ({ event, startTime: timestamp(startTime) }));

/** True for a node that has our mark, or whose host has scheduled maintenance. */
const isMarked = (node: Node): boolean =>
  node.annotations[markedAtAnnotation] !== undefined || plannedWork(node).length > 0;

/** An instance that hooks hold, with its group. */
export interface HookedInstance {
  readonly instance: string;
  readonly state: string;
  readonly group: ScalingGroup;
  readonly hooks: readonly string[];
  /** Those of the hooks that are for launches. */
  readonly launchHooks: readonly string[];
  readonly otherHooks: readonly string[];
  /** False if the deployment does not manage its group, so that the function ignores the notices of its hooks. */
  readonly isManaged: boolean;
  /** The seconds for which a hook waits for a heartbeat. */
  readonly heartbeatTimeoutSeconds: number | null;
}

const terminating = "autoscaling:EC2_INSTANCE_TERMINATING";
const launching = "autoscaling:EC2_INSTANCE_LAUNCHING";

/** The hooks that may hold an instance in each state. An instance enters a warm pool after its launch or from service. */
const transitions: Readonly<Record<string, readonly string[]>> = {
  "Terminating:Wait": [terminating],
  "Pending:Wait": [launching],
  "Warmed:Pending:Wait": [launching, terminating],
  "Warmed:Terminating:Wait": [terminating],
};

/** The groups of a deployment, and the instances that its hooks hold. */
export interface Holds {
  /** The groups that it manages. */
  readonly managed: readonly ScalingGroup[];
  /** The managed ones, and others in which a hook of the deployment holds an instance. */
  readonly groups: readonly ScalingGroup[];
  readonly held: readonly HookedInstance[];
}

/**
 * The instances that this deployment's hooks hold now, and in its groups also those that other hooks hold. A group that has
 * lost its tag keeps its hooks, so groups that it does not manage count too, except those of other clusters.
 */
export async function heldInstances(
  parts: DeploymentParts,
  { name, aws }: { readonly name: string; readonly aws: AwsAccess },
): Promise<Holds> {
  const all = await allGroups(aws);
  const isManaged = isManagedAt(parts);
  const managed = all.filter(isManaged);
  const others = knowsHooks(parts)
    ? all.filter((one) => !isManaged(one) && mayBeOf(name, one))
    : [];
  const held: HookedInstance[] = [];
  for (const group of [...managed, ...others]) {
    const waiting = group.instances.filter(({ state }) => state in transitions);
    if (waiting.length === 0) continue;
    const hooks = await hooksAt(group.name, parts, aws);
    const found = waiting.map((one) => heldBy(group, hooks, one, isManaged(group)));
    const isOurs = parts.config.kind === "known" && isManaged(group);
    held.push(...found.filter((one) => isOurs || one.hooks.length > 0));
  }
  const holding = others.filter((group) => held.some((one) => one.group === group));
  return { managed, groups: [...managed, ...holding], held };
}

/** True if the deployment's topic is known, which its hooks notify. */
const knowsHooks = ({ output }: DeploymentParts): boolean => output("TopicArn").kind === "known";

function heldBy(
  group: ScalingGroup,
  hooks: HooksByOwner,
  { id, state }: GroupInstance,
  isManaged: boolean,
): HookedInstance {
  const its = transitions[state] ?? [];
  const concerned = (all: HooksByOwner["ours"]) =>
    all.filter(({ LifecycleTransition: theirs = "" }) => its.includes(theirs));
  const names = (all: HooksByOwner["ours"]) =>
    concerned(all).map(({ LifecycleHookName: name = "" }) => name);
  return {
    instance: id,
    state,
    group,
    hooks: names(hooks.ours),
    launchHooks: names(hooks.ours.filter(({ LifecycleTransition: when }) => when === launching)),
    otherHooks: names(hooks.others),
    isManaged,
    heartbeatTimeoutSeconds: concerned(hooks.ours)[0]?.HeartbeatTimeout ?? null,
  };
}
