import { counted } from "../base/counted.ts";
import type { InstanceId } from "../base/ids.ts";
import { hours, type Instant, later, seconds } from "../base/time.ts";
import type { ScalingGroup } from "./scaling-group.ts";

/** A target of a target group. */
export interface GroupTarget {
  /** The id of an instance, or the address of a pod. */
  readonly id: string;
  /** `initial`: the load balancer has not finished its first health checks. */
  readonly state: "initial" | "other" | "serving";
}

/** The kind of a target group's targets. */
export type TargetKind = "instance" | "ip";

/** A target group that a load balancer uses, with all its targets. */
export interface TargetGroupHealth {
  /** Eight hexadecimal digits, made of its ARN. */
  readonly id: string;
  readonly name: string;
  readonly kind: TargetKind;
  readonly targets: readonly GroupTarget[];
}

/** The target groups that have some targets. */
export interface FoundTargetGroups {
  readonly groups: readonly TargetGroupHealth[];
  /** The number of target groups of which nobody knows it yet; the next look goes on with these. */
  readonly unread: number;
}

/** Instances that are about to go, and the group that they leave. */
export interface Leavers {
  /** Their ids, and the addresses of their pods. */
  readonly ids: ReadonlySet<string>;
  /** All instances of the group that are in service. */
  readonly own: ReadonlySet<InstanceId>;
  /** Instances that a controller may not have registered yet. */
  readonly coming: ReadonlySet<InstanceId>;
  /** The most healthy instances that a target group needs: the size of the group before. */
  readonly enough: number;
  /** The ids of target groups that are not waited for. */
  readonly unawaited: ReadonlySet<string>;
  /** Instances that are not waited for, because they have had time for their first health checks. @default none */
  readonly checked?: ReadonlySet<InstanceId>;
}

/** The loss of target groups if some instances leave. */
export type TargetLoss =
  | { readonly kind: "none" }
  /** They lose healthy targets, and none is on its way. */
  | { readonly kind: "unavoidable" }
  /** They lose healthy targets, and others are about to become healthy; an id and a line for each target group. */
  | {
      readonly kind: "avoidable";
      readonly groups: readonly string[];
      readonly reasons: readonly string[];
    }
  /** Load balancers have not answered, and may do so later. */
  | { readonly kind: "unread"; readonly reasons: readonly string[] };

/** A controller has registered a node that long after it has become ready, or after a mark has been taken off it. */
export const registersWithin = seconds(60);

/** A target has had its first health checks by then: at most ten, with five minutes between two of them. */
export const firstChecks = hours(1);

/** The node of an instance, as far as it tells whether a controller has registered the instance. */
interface ReadyNode {
  readonly instance: InstanceId;
  readonly readiness: string;
  readonly readinessSince: Instant;
}

/** The instances of a group that are in service, with respect to its target groups. */
export function membersOf(
  group: Pick<ScalingGroup, "instances" | "sizes"> | undefined,
  nodes: readonly ReadyNode[],
  now: Instant,
): Omit<Leavers, "ids"> {
  const serving = (group?.instances ?? []).filter(({ state }) => state === "InService");
  const own = new Set(serving.map(({ id }) => id));
  const coming = nodes.filter(
    ({ instance, readiness, readinessSince }) =>
      own.has(instance) && readiness === "ready" && now < later(readinessSince, registersWithin),
  );
  return {
    own,
    coming: new Set(coming.map(({ instance }) => instance)),
    enough: group?.sizes.desired ?? 0,
    unawaited: new Set(),
  };
}

/** The instances of a group whose nodes have been ready for so long that they have had their first health checks. */
export function checkedAmong(
  own: ReadonlySet<InstanceId>,
  nodes: readonly ReadyNode[],
  now: Instant,
): ReadonlySet<InstanceId> {
  const fresh = nodes.filter(
    ({ readinessSince }) => now < later(later(readinessSince, registersWithin), firstChecks),
  );
  const recent = new Set(fresh.map(({ instance }) => instance));
  return new Set([...own].filter((id) => !recent.has(id)));
}

/**
 * The loss of target groups if some instances leave. Targets that fail their health checks are not
 * waited for.
 */
export function lossOf({ groups, unread }: FoundTargetGroups, leavers: Leavers): TargetLoss {
  const loss = knownLoss(groups, leavers);
  if (unread === 0 || loss.kind === "avoidable") return loss;
  const reason = `load balancers have not answered about ${counted(unread, "target group")} yet`;
  return { kind: "unread", reasons: [reason] };
}

function knownLoss(groups: readonly TargetGroupHealth[], leavers: Leavers): TargetLoss {
  const losses = groups.map((group) => lossIn(group, leavers));
  const avoidable = losses.filter((loss) => loss.kind === "avoidable");
  if (avoidable.length > 0)
    return {
      kind: "avoidable",
      groups: avoidable.flatMap((loss) => loss.groups),
      reasons: avoidable.flatMap(({ reasons }) => reasons),
    };
  return losses.find(({ kind }) => kind === "unavoidable") ?? { kind: "none" };
}

function lossIn(group: TargetGroupHealth, leavers: Leavers): TargetLoss {
  const loss =
    group.kind === "instance" ? lossOfInstances(group, leavers) : lossOfPods(group, leavers);
  const isAwaited = loss.kind !== "avoidable" || !leavers.unawaited.has(group.id);
  return isAwaited ? loss : { kind: "unavoidable" };
}

/** An instance has a target for each port. It serves if one of them does, and is awaited if one of them is initial. */
function lossOfInstances(group: TargetGroupHealth, leavers: Leavers): TargetLoss {
  const { ids, own, coming, enough, checked = new Set<InstanceId>() } = leavers;
  const members = [...own].filter((id) => !ids.has(id));
  const states = Map.groupBy(group.targets, ({ id }) => id);
  const has = (id: string, state: GroupTarget["state"]) =>
    states.get(id)?.some((target) => target.state === state) === true;
  const lost = [...ids].filter((id) => has(id, "serving")).length;
  const stay = members.filter((id) => has(id, "serving") && !has(id, "initial")).length;
  const awaited = members.filter(
    (id) => !checked.has(id) && (has(id, "initial") || (coming.has(id) && !states.has(id))),
  ).length;
  if (lost === 0 || stay >= Math.min(enough, stay + lost + awaited)) return { kind: "none" };
  if (awaited === 0) return { kind: "unavoidable" };
  const reason = `target group ${group.name} would have ${counted(stay, "healthy instance")}, and ${awaited} of the others ${are(awaited)} still initial`;
  return { kind: "avoidable", groups: [group.id], reasons: [reason] };
}

/** Nobody knows how many pods a target group had before. So none goes while another has not had its first health checks. */
function lossOfPods({ id: group, name, targets }: TargetGroupHealth, { ids }: Leavers): TargetLoss {
  const lost = targets.filter(({ id, state }) => ids.has(id) && state === "serving").length;
  const awaited = targets.filter(({ id, state }) => !ids.has(id) && state === "initial").length;
  if (lost === 0) return { kind: "none" };
  if (awaited === 0) return { kind: "unavoidable" };
  const reason = `target group ${name} has ${counted(awaited, "pod")} that ${are(awaited)} still initial`;
  return { kind: "avoidable", groups: [group], reasons: [reason] };
}

const are = (count: number): string => (count === 1 ? "is" : "are");
