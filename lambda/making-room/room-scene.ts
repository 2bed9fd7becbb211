import { someOf } from "../base/counted.ts";
import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { between, type Instant, later, seconds, spoken } from "../base/time.ts";
import { type Budget, governs, healthyBy } from "../drain/budget.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import { isActive, isLeftAlone } from "../drain/pod-class.ts";
import { tryProtectionOf } from "../drain/protection.ts";
import { type RoomRecord, surgeAt } from "./record.ts";
import { hasLetGo } from "./recount.ts";
import { type RoomState, wish } from "./room-refusal.ts";
import { type Replica, type Workload, type WorkloadMetadata, workloadTitle } from "./workload.ts";

/** A drain that waits for room. */
export interface RoomNeed {
  readonly node: NodeName;
  /** The budgets that hold its pod. */
  readonly budgets: readonly Budget[];
  /** All budgets that are known. */
  readonly all: readonly Budget[];
  /** When the drain goes on without it. */
  readonly until: Instant;
}

/** What the mark of a node says about its drain. */
export interface DrainMark {
  /** When the node was marked; `never` if that is not known. */
  readonly at: Instant;
  /** When it is expected to be drained; `never` if that is not known. */
  readonly deadline: Instant;
  /** Whether its drain is known to be over, as that of a command that ends. */
  readonly isOver?: boolean;
  /** Whether the node is gone, and has no mark: its pods look ready until Kubernetes removes them. */
  readonly isGone?: true;
}

/**
 * The facts about a workload in one look. Without a need, it only puts back what is no longer
 * needed.
 */
export interface RoomScene {
  readonly workload: Workload;
  readonly replicas: readonly Replica[];
  /** The nodes that are being drained, by their marks. */
  readonly draining: ReadonlyMap<NodeName, DrainMark>;
  readonly need: RoomNeed | "none";
  readonly settings: DrainSettings;
  /** The annotations of the workload's namespace. */
  readonly namespace: Labels;
  readonly now: Instant;
  /** Whether it is the surge of a command that ends: nobody looks at it again by itself, as the schedule does. */
  readonly isLastLook?: boolean;
  /** How often this look has tried to set the costs of pods. */
  readonly tries: number;
}

/** Whether room is made for a workload. It may be switched off in the midst of its surge. */
export const isOn = ({ settings, workload, namespace }: RoomScene): boolean =>
  settings.makeRoom !== "off" &&
  [workload, ...workload.scalers]
    .map(({ annotations }) => annotations)
    .concat(namespace)
    .every((annotations) => wish(annotations) !== "off");

/** The number of pods that count as ready. */
export const readyIn = (scene: RoomScene): number =>
  activeOf(scene).filter((replica) => counts(replica, scene)).length;

/** Whether a pod has been ready for as long as its workload asks for. */
const counts = (replica: Replica, scene: Pick<RoomScene, "now" | "workload">): boolean =>
  replica.pod.ready && scene.now >= countsFrom(replica, scene);

/** When a pod that is ready begins to count. */
export const countsFrom = (
  { readySince }: Pick<Replica, "readySince">,
  { workload }: Pick<RoomScene, "workload">,
): Instant => later(readySince, workload.minReady);

/** The pods that neither end nor have ended. */
export const activeOf = ({ replicas }: Pick<RoomScene, "replicas">): readonly Replica[] =>
  replicas.filter(({ pod }) => isActive(pod));

/** The active pods that are ready, for however short a time. */
export const readyOf = (scene: Pick<RoomScene, "replicas">): readonly Replica[] =>
  activeOf(scene).filter(({ pod }) => pod.ready);

/** How many ready pods a budget selects. */
export const readyUnder = (budget: Budget, scene: Pick<RoomScene, "replicas">): number =>
  readyOf(scene).filter(({ pod }) => governs(budget, pod)).length;

/**
 * How many pods the budget of the drain that looks would let go at a count, were no more pods ready than that; none where it has not counted what
 * is ready, or cannot. Its status is about the count as it is: the pods of a surge may keep a `maxUnavailable` closed.
 */
export function spareAt(count: number, { need, replicas }: RoomScene): number {
  const [budget] = need === "none" ? [] : need.budgets;
  if (budget === undefined || !budget.observed || budget.meetable === "if-counted") return 0;
  const ready = readyUnder(budget, { replicas });
  if (budget.currentHealthy !== ready) return 0;
  return Math.min(ready, count) - healthyBy(budget.rule, count);
}

/** The pods that drains have to move, the oldest first, an order that all drains find; none where no room is made any more. */
export const displacedOf = (scene: RoomScene): readonly Replica[] =>
  activeOf(scene)
    .filter(({ pod }) => isOn(scene) && scene.draining.has(pod.node))
    .filter(({ pod }) => !isLeftAlone(pod, scene) && tryProtectionOf(pod, scene) === undefined)
    .toSorted(
      (a, b) => between(b.pod.created, a.pod.created) || (titleOf(a) < titleOf(b) ? -1 : 1),
    );

/** Whether the node of a pod is gone, so that the pod only looks ready. */
export const isGone = ({ pod }: Replica, { draining }: Pick<RoomScene, "draining">): boolean =>
  draining.get(pod.node)?.isGone === true;

/** Whether the drain of a pod's node is known to be over. */
export const isOver = ({ pod }: Replica, { draining }: Pick<RoomScene, "draining">): boolean =>
  draining.get(pod.node)?.isOver === true;

// The API server's times are whole seconds, and ours is known to a second.
const creationSlack = seconds(3);

/** Whether a pod is younger than a surge. */
export const isOfSurge = ({ created }: Pod, { since }: Pick<RoomRecord, "since">): boolean =>
  later(created, creationSlack) > since;

/** The name of a pod for people. */
export const titleOf = ({ pod }: Replica): string => podTitle(pod);

/** The state of a surge that an earlier pass has begun, before its pods are looked at, however late that is. */
export function surgedBefore(workload: WorkloadMetadata, now: Instant): RoomState {
  const record = surgeAt(now, workload.annotations);
  if (record !== undefined) return { kind: "awaited", why: surgeWords(workload, record, now) };
  return { kind: "awaited", why: wentBack(workload) };
}

const wentBack = (workload: Pick<WorkloadMetadata, "kind" | "name">): string =>
  `the count of ${workloadTitle(workload)} has just gone back`;

const waitsFor = (workload: Pick<WorkloadMetadata, "kind" | "name">): string =>
  `room is made once all pods of ${workloadTitle(workload)} are ready`;

const surgeWords = (
  workload: Pick<WorkloadMetadata, "kind" | "name">,
  { was, is, since }: RoomRecord,
  now: Instant,
  awaited = "",
): string =>
  `making room: ${workloadTitle(workload)} ${was} → ${is}${awaited}, ${spoken(between(since, now))}`;

/** The state of a waiting workload: `awaited` during a surge and a moment after it, `waits` where a rollout is under way or pods are not ready. */
export function waiting(scene: Pick<RoomScene, "now" | "replicas" | "workload">): RoomState {
  const { workload, now } = scene;
  const record = surgeAt(now, workload.annotations);
  if (record === undefined)
    return hasLetGo(scene)
      ? { kind: "awaited", why: wentBack(workload) }
      : { kind: "waits", why: waitsFor(workload) };
  const coming = activeOf(scene).filter((replica) => !counts(replica, scene));
  if (coming.length === 0) return { kind: "awaited", why: surgeWords(workload, record, now) };
  const names = someOf(coming.map(titleOf));
  const awaited = coming.every(({ pod }) => pod.ready)
    ? `, waiting for ${names} to be available`
    : `, waiting for ${names} to be ready`;
  return { kind: "awaited", why: surgeWords(workload, record, now, awaited) };
}
