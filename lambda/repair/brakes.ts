import type { GroupName, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import { countOf, type NodeCount } from "../group/node-count.ts";
import { isUnderUpgrade } from "../group-work/upgrade-tags.ts";
import { hasBegun } from "./due-repair.ts";
import {
  type GroupMember,
  type GroupView,
  type IllMember,
  isCountedIll,
  isServing,
  type Survey,
} from "./survey.ts";
import { awaited, isWithinHour, repairing } from "./under-way.ts";

/** Why a repair does not begin. */
export type RepairBrake =
  | { readonly kind: "dry-run" }
  /** This many repairs of the group are under way, or are begun by this pass. */
  | { readonly kind: "at-once"; readonly underWay: number; readonly allowed: number }
  | {
      readonly kind: "per-hour";
      readonly begun: number;
      readonly allowed: number;
    }
  | {
      readonly kind: "ill-share";
      readonly where: BrakeScope;
      readonly ill: number;
      readonly of: number;
      readonly allowed: number;
    }
  /** Some tags of the group cannot be read, so its settings are unknown. */
  | { readonly kind: "settings"; readonly refused: readonly string[] }
  | { readonly kind: "refresh" }
  | { readonly kind: "upgrade" }
  | { readonly kind: "suspended"; readonly processes: readonly string[] }
  | { readonly kind: "activity-failed"; readonly at: Instant; readonly message: string }
  | { readonly kind: "zone-ill"; readonly zone: string; readonly ill: number }
  | { readonly kind: "zone-shifted"; readonly zone: string }
  /** The node has the condition `MaintenanceInProgress`: somebody works on it. */
  | { readonly kind: "maintenance"; readonly since: Instant; readonly reason: string }
  /** Target groups would have fewer healthy targets, and others are about to be healthy. */
  | { readonly kind: "targets"; readonly reasons: readonly string[] }
  /** This many replacements in a row had the same cause. */
  | {
      readonly kind: "same-cause";
      readonly cause: string;
      readonly version: string;
      readonly times: number;
      readonly until: Instant;
    }
  /** One of these nodes may belong to the instance. */
  | { readonly kind: "unmatched-nodes"; readonly nodes: readonly NodeName[] }
  /** No instance at all has a node, so the problem is not this instance. */
  | { readonly kind: "no-nodes"; readonly where: BrakeScope; readonly instances: number };

/** Where a brake counted instances. */
type BrakeScope = GroupName | "all managed groups";

export const brakeKinds = [
  "dry-run",
  "at-once",
  "per-hour",
  "ill-share",
  "settings",
  "refresh",
  "upgrade",
  "suspended",
  "activity-failed",
  "zone-ill",
  "zone-shifted",
  "maintenance",
  "targets",
  "same-cause",
  "unmatched-nodes",
  "no-nodes",
] as const satisfies readonly RepairBrake["kind"][];

const replacing = ["ReplaceUnhealthy", "Launch", "Terminate"];

export function groupBrakes(view: GroupView): readonly RepairBrake[] {
  const { scalingGroup, refresh, failures } = view.group;
  return [
    ...(view.refused.length > 0 ? [{ kind: "settings", refused: view.refused } as const] : []),
    ...(refresh === "active" ? [{ kind: "refresh" } as const] : []),
    ...(isUnderUpgrade(scalingGroup.tags) ? [{ kind: "upgrade" } as const] : []),
    ...suspendedBrake(view, [...replacing, "HealthCheck"]),
    ...failures
      .slice(0, 1)
      .map(({ at, message }) => ({ kind: "activity-failed", at, message }) as const),
    ...shareBrake(view),
  ];
}

/** The brakes that hold replacements because the group cannot replace an unhealthy instance. */
export const replacementBrakes = (view: GroupView): readonly RepairBrake[] =>
  suspendedBrake(view, replacing);

function suspendedBrake(
  { group: { scalingGroup } }: GroupView,
  these: readonly string[],
): readonly RepairBrake[] {
  const processes = scalingGroup.suspended.filter((one) => these.includes(one));
  return processes.length > 0 ? [{ kind: "suspended", processes }] : [];
}

/** The most ill nodes; a percentage is rounded down, and allows at least one. */
const allowedIll = (mostIll: NodeCount, of: number): number =>
  mostIll.kind === "count" ? mostIll.value : Math.max(1, countOf(mostIll, of));

function shareBrake({ group, members, settings, now }: GroupView): readonly RepairBrake[] {
  const counts = illCounts(members, now);
  const allowed = allowedIll(settings.mostIll, counts.of);
  const where = group.scalingGroup.name;
  return counts.ill > allowed ? [{ kind: "ill-share", where, ...counts, allowed }] : [];
}

const illCounts = (members: readonly GroupMember[], now: Instant) => ({
  ill: members.filter((member) => isCountedIll(member, now)).length,
  of: members.filter(isServing).length,
});

/** The brakes that hold all repairs because too many instances of all groups are ill. */
export function sharedBrakes(
  views: readonly GroupView[],
  mostIll: NodeCount,
): readonly RepairBrake[] {
  const [first] = views;
  // A number, unlike a percentage, is a limit for the nodes of one group.
  // A single group has its own brake.
  if (first === undefined || views.length === 1 || mostIll.kind === "count") return [];
  const counts = illCounts(
    views.flatMap(({ members }) => members),
    first.now,
  );
  const allowed = allowedIll(mostIll, counts.of);
  const where = "all managed groups";
  return counts.ill > allowed ? [{ kind: "ill-share", where, ...counts, allowed }] : [];
}

/** The brakes that hold the repairs in certain zones. */
export function zoneBrakes(
  views: readonly GroupView[],
  shifted: readonly string[],
): ReadonlyMap<string, readonly RepairBrake[]> {
  const serving = views.flatMap(({ members, now }) =>
    members.filter(isServing).map((member) => ({ member, now })),
  );
  const zones = Map.groupBy(serving, ({ member }) => member.instance.zone);
  return new Map(
    [...zones].map(([zone, all]) => {
      const isAllIll = all.every(({ member, now }) => isCountedIll(member, now));
      return [
        zone,
        [
          ...(isAllIll && all.length > 1
            ? [{ kind: "zone-ill", zone, ill: all.length } as const]
            : []),
          ...(shifted.includes(zone) ? [{ kind: "zone-shifted", zone } as const] : []),
        ],
      ];
    }),
  );
}

/**
 * The brake that holds the repair of a node on which somebody else works. No function of ours writes this condition.
 *
 * @see https://kubernetes.io/docs/reference/node/node-lifecycle-conditions/
 */
export const maintenanceBrakes = ({ node }: GroupMember): readonly RepairBrake[] =>
  (node === "none" ? [] : node.conditions)
    .filter(({ type, status }) => type === "MaintenanceInProgress" && status === "True")
    .map(({ since, reason }) => ({ kind: "maintenance", since, reason }));

/**
 * The brakes that hold replacements of instances without a node: the list of nodes may be wrong, or the group belongs to
 * another cluster.
 */
export function nodelessBrakes(
  { group: { scalingGroup }, members }: GroupView,
  views: readonly GroupView[],
  cluster: string,
): readonly RepairBrake[] {
  const all = views.flatMap((view) => view.members);
  const isOurs = members.some(hasNode) || `kubernetes.io/cluster/${cluster}` in scalingGroup.tags;
  if (!all.some(hasNode))
    return [{ kind: "no-nodes", where: "all managed groups", instances: all.length }];
  return isOurs ? [] : [{ kind: "no-nodes", where: scalingGroup.name, instances: members.length }];
}

const hasNode = ({ node }: GroupMember): boolean => node !== "none";

/** The brake that holds replacements of instances without a node, while an unmatched node may belong to one of them. */
export const unmatchedBrakes = ({
  unmatched: nodes,
}: Pick<Survey, "unmatched">): readonly RepairBrake[] =>
  nodes.length === 0 ? [] : [{ kind: "unmatched-nodes", nodes }];

/**
 * The brakes of members that wait for others to be repaired. Repairs that have begun go on; the others begin in the order of
 * the list. Those that are tried in vain come last, in turn: else one of them would keep all others waiting.
 */
export function slotBrakes(
  candidates: readonly IllMember[],
  view: GroupView,
): ReadonlyMap<IllMember, readonly RepairBrake[]> {
  const rank = (member: IllMember): number =>
    view.lastTries.get(member.instance.id) ?? -Number(hasBegun(member, view));
  const ordered = candidates.toSorted((a, b) => rank(a) - rank(b));
  const room = roomFor(candidates, view);
  return new Map(ordered.slice(room.slots).map((member) => [member, room.brakes]));
}

/** The members that are repaired now, and the brake of the others. */
function roomFor(candidates: readonly IllMember[], view: GroupView) {
  const own = new Set(candidates.map(({ instance }) => instance.id));
  const isOther = ({ instance }: GroupMember) => !own.has(instance.id);
  const others = repairing(view).filter(isOther).length + awaited(view);
  const recent = withinHour(view).filter(({ instance }) => !own.has(instance)).length;
  const { perHour } = view.settings;
  const allowed = allowedAtOnce(view);
  const slots = Math.max(0, Math.min(allowed - others, perHour - recent));
  const underWay = others + slots;
  const begun = recent + slots;
  const brakes: readonly RepairBrake[] = [
    ...(underWay >= allowed ? [{ kind: "at-once", underWay, allowed } as const] : []),
    ...(begun >= perHour ? [{ kind: "per-hour", begun, allowed: perHour } as const] : []),
  ];
  return { slots, brakes };
}

/** A percentage allows at least one. */
function allowedAtOnce({ settings: { atOnce }, members }: GroupView): number {
  return Math.max(1, countOf(atOnce, members.filter(isServing).length));
}

const withinHour = ({ records, now }: GroupView) =>
  records.filter(({ at }) => isWithinHour(at, now));
