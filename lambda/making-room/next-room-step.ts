import { someOf } from "../base/counted.ts";
import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import {
  between,
  earliest,
  type Instant,
  later,
  minutes,
  never,
  seconds,
  spoken,
} from "../base/time.ts";
import { type Budget, budgetTitle, governs, selects } from "../drain/budget.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import { isActive, isLeftAlone } from "../drain/pod-class.ts";
import { tryProtectionOf } from "../drain/protection.ts";
import type { RoomChange } from "../drain/room-entry.ts";
import {
  costAnnotation,
  lowestCost,
  type RoomRecord,
  recordAt,
  recordLabel,
  surgeAt,
  trySurge,
} from "./record.ts";
import { hasLetGo } from "./recount.ts";
import {
  nothing,
  type RoomState,
  refused,
  tooFar,
  tryOff,
  tryRoomRefusal,
  wish,
} from "./room-refusal.ts";
import {
  mostMore,
  mostOf,
  type Replica,
  type Scaler,
  type Workload,
  type WorkloadMetadata,
  workloadTitle,
} from "./workload.ts";

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

/**
 * The facts about a workload in one look. Without a need, it only puts back what is no longer
 * needed.
 */
export interface RoomScene {
  readonly workload: Workload;
  readonly replicas: readonly Replica[];
  /** When each node that is being drained was marked; `never` if that is not known. */
  readonly draining: ReadonlyMap<NodeName, Instant>;
  readonly need: RoomNeed | "none";
  readonly settings: DrainSettings;
  /** The annotations of the workload's namespace. */
  readonly namespace: Labels;
  readonly now: Instant;
}

/** The part of a change that is reported. */
export type ReportedChange = Pick<RoomChange, "from" | "stage" | "to" | "why">;

/** Writes a record to a workload or its autoscaler, or takes it away, and with it the count or the least count. */
export interface RoomWrite {
  readonly kind: "write";
  readonly to: Scaler | Workload;
  readonly record: RoomRecord | "none";
  readonly count: number | "as it is";
  readonly change: ReportedChange | "nothing";
}

/** Makes a ReplicaSet that needs fewer pods end this one first. */
export interface SetDeletionCost {
  readonly kind: "cheapen";
  readonly pod: Pod;
  readonly change: "nothing";
}

/**
 * The next step for a workload. Each step is one request, and may be the last one of its process.
 */
export type RoomStep =
  | RoomState
  | SetDeletionCost
  | RoomWrite
  /** Surge it by these pods that a drain displaces, as far as nodes take them, and their budgets select no pods of others. */
  | {
      readonly kind: "surge";
      readonly pods: readonly Replica[];
      readonly budgets: readonly Budget[];
      readonly record: RoomRecord;
    };

// The sweep of the schedule comes several times within an hour.
const longestSurge = minutes(30);
const shortestSurge = seconds(10);
// A node autoscaler gets so much time to bring a node.
const placementWait = minutes(2);
const restAfterFailure = minutes(10);
// Somebody may take the deletion cost away each time.
const costWait = minutes(2);

/** Decides what to do next about a workload, from its present state. It remembers only what is recorded on the workload. */
export function nextRoomStep(scene: RoomScene): RoomStep {
  const { workload, need, now } = scene;
  const record = recordAt(now, workload.annotations);
  if (record?.phase === "up") return goOn(record, scene);
  const lower = tryLower(scene);
  if (lower !== undefined) return lower;
  const isNoted = record !== undefined && now < record.until && isOn(scene);
  if (need !== "none") return isNoted ? { kind: "in vain", why: record.why } : begin(need, scene);
  return record === undefined || isNoted ? nothing : write(workload, "none", "as it is");
}

// An editor of a workload may change its record too, and ends no pod by that.
const notOurs = ({ was, is }: Pick<RoomRecord, "is" | "was">): string =>
  `somebody has changed its record, for no drain would have raised it from ${was} to ${is}; set its count, and remove the annotation and the label ${recordLabel}`;

const write = (
  to: RoomWrite["to"],
  record: RoomWrite["record"],
  count: RoomWrite["count"],
): RoomWrite => ({ kind: "write", to, record, count, change: "nothing" });

/** Lowers a raised autoscaler again; its Deployment may have no record of it any more. */
const tryLower = ({
  workload: { scalers },
  now,
}: Pick<RoomScene, "now" | "workload">): RoomStep | undefined =>
  scalers
    .flatMap((scaler) => {
      const record = recordAt(now, scaler.annotations);
      return record === undefined ? [] : [{ scaler, ...record }];
    })
    .map(({ scaler, was, is }) => write(scaler, "none", scaler.min === is ? was : "as it is"))
    .at(0);

function begin(need: RoomNeed, scene: RoomScene): RoomStep {
  const { workload, now } = scene;
  const { replicas: was, maxSurge, scalers } = workload;
  const displaced = displacedOf(scene);
  if (displaced.length === 0) return nothing;
  const refusal = tryRoomRefusal(workload);
  if (refusal !== undefined) return refused(refusal);
  const staying = activeOf(scene).filter((replica) => !displaced.includes(replica));
  const costs = staying.map(({ pod }) => pod.annotations[costAnnotation] ?? "");
  if ([workload.cost, ...costs].some((cost) => Number(cost) <= Number(lowestCost)))
    return refused(
      "the pod-deletion-cost of its own pods is the lowest, so others would end first",
    );
  // A rollout may already bring the pod.
  const found = [activeOf(scene).length, readyIn(scene)];
  if (workload.state === "under way" || found.some((one) => one !== was)) return waiting(scene);
  const until = earliest(need.until, later(now, longestSurge));
  if (between(now, until) < shortestSurge)
    return refused("there is no time left to wait for another pod");
  // At most what a rollout may make more, and what an autoscaler allows.
  const pods = displaced.slice(
    0,
    Math.min(maxSurge, mostMore, ...scalers.map((one) => mostOf(one) - was)),
  );
  const uneven = tryUneven(pods, workload, need);
  if (uneven !== undefined) return refused(uneven);
  const { node, budgets } = need;
  if (budgets.some((one) => isBehind(one, scene))) return waiting(scene);
  const why = `node ${node} under budget ${budgets.map(budgetTitle).join()}`;
  const record = { phase: "up", was, is: was + pods.length, since: now, until, why } as const;
  return { kind: "surge", pods, budgets, record };
}

/** Whether a budget counts fewer pods than are ready, so that it may let one go in a moment. */
const isBehind = (budget: Budget, scene: RoomScene): boolean =>
  budget.currentHealthy <
  activeOf(scene).filter(({ pod }) => pod.ready && governs(budget, pod)).length;

/**
 * Why new pods would not stand in for these: some budget selects one of them and not the new ones, as by the label of a
 * leader, and would lack it at the end.
 */
function tryUneven(
  pods: readonly Replica[],
  { namespace, labels }: Pick<Workload, "labels" | "namespace">,
  { budgets, all }: Pick<RoomNeed, "all" | "budgets">,
): string | undefined {
  const own = titlesOf(budgets);
  const titlesOver = (some: Labels): string =>
    titlesOf(all.filter((one) => one.namespace === namespace && selects(one.selector, some)));
  if (titlesOver(labels) !== own) return "its new pods would be under other budgets";
  const other = pods.find(({ pod }) => titlesOver(pod.labels) !== own);
  return other && `its pod ${titleOf(other)} is under other budgets than its new ones`;
}

const titlesOf = (budgets: readonly Budget[]): string => budgets.map(budgetTitle).toSorted().join();

/** Notes at a workload what is about to change; without an autoscaler it gets the count too. */
export const surged = (workload: Workload, record: RoomRecord): RoomWrite => ({
  ...write(workload, record, workload.scalers.length === 0 ? record.is : "as it is"),
  change: { stage: "surged", from: record.was, to: record.is, why: record.why },
});

/** The end of a surge. `note` says why it should not be tried again soon; empty if it may be. */
interface SurgeEnding extends Pick<ReportedChange, "stage" | "why"> {
  readonly note: string;
}

/** Whether a drain may have written the record of a workload: others may write there what they like. One that has fewer pods than before its surge may have had a larger one. */
export function isOurs({ annotations, maxSurge, replicas }: Workload): boolean {
  const record = trySurge(annotations);
  if (record === undefined) return true;
  const { was, is } = record;
  return was > 0 && (is - was <= Math.min(maxSurge, mostMore) || replicas < was);
}

function goOn(record: RoomRecord, scene: RoomScene): RoomStep {
  const { was, is } = record;
  return isOurs(scene.workload) ? finish(record, scene) : refused(notOurs({ was, is }));
}

function finish(record: RoomRecord, scene: RoomScene): RoomStep {
  const { replicas, scalers } = scene.workload;
  const [scaler] = scalers;
  const { was, is } = record;
  const least = scaler === undefined ? is : was;
  if (replicas < least || replicas > is) return putBack(record, scene, changed(replicas, is));
  const ending = displacedOf(scene).length === 0 ? notNeeded : tryEnd(record, scene);
  // The pods that have come up are used, even if they are fewer than asked for.
  if (ending !== undefined) return letGo(record, scene, ending);
  const isToRise = scaler !== undefined && replicas < is && scaler.min < is;
  return isToRise && tryLower(scene) === undefined ? raise(scaler, record, scene) : waiting(scene);
}

/** Raises an autoscaler for what its workload has noted. */
function raise(scaler: Scaler, record: RoomRecord, scene: RoomScene): RoomStep {
  const refusal = tryRise(record, scaler, scene);
  if (refusal !== undefined) return putBack(record, scene, givenUp(refusal));
  return write(scaler, { ...record, was: scaler.min }, record.is);
}

/** Why an autoscaler does not go up after all: others may have changed it or its workload since that was noted. */
function tryRise({ is }: RoomRecord, scaler: Scaler, scene: RoomScene): string | undefined {
  const { workload, settings, namespace } = scene;
  if (tryOff(settings.makeRoom, namespace, workload) !== undefined) return "it is off by now";
  if (is > mostOf(scaler)) return tooFar(scaler);
  return tryRoomRefusal(workload);
}

function tryEnd(record: RoomRecord, scene: RoomScene): SurgeEnding | undefined {
  const { since, until, is } = record;
  const { now, workload, need } = scene;
  // Where they are not ready yet, the drain evicts them, and their controller makes others.
  if (elsewhereBy(record, scene) <= 0) return givenUp(cameBack);
  if (workload.replicas === is && readyIn(scene) + replacedIn(record, scene) >= is)
    return madeBy(record);
  // A drain with a nearer deadline than the one that has surged it is about to force its pod.
  const nearest = need === "none" ? until : earliest(until, need.until);
  if (now >= nearest) return givenUp("the new pod was not ready in time");
  if (between(since, now) < placementWait) return undefined;
  const active = activeOf(scene);
  const unplaced = active.find((replica) => replica.unplaced !== "");
  if (unplaced !== undefined) return givenUp(unplaced.unplaced);
  return active.length < is ? givenUp(notMade) : undefined;
}

const cameBack =
  "its new pods came up on nodes that are being drained, as where they tolerate every taint or get past the scheduler";

const notMade = "its controller made no pod, as where a ResourceQuota or a policy refuses one";

const notCheaper = "its old pods keep no deletion cost, as where somebody takes it away each time";

const notNeeded: SurgeEnding = { stage: "put back", why: "not needed", note: "" };
// The controller that has undone a surge would undo the next one too.
const changed = (count: number, is: number): SurgeEnding => ({
  stage: "put back",
  why: "changed by somebody",
  note: count < is ? `somebody has set its count to ${count} meanwhile` : "",
});
const givenUp = (why: string): SurgeEnding => ({ stage: "given up", why, note: why });
const madeBy = ({ why }: RoomRecord): SurgeEnding => ({ stage: "made", why, note: "" });

/**
 * Makes as many displaced pods cheap as there are ready ones too many, and then gives the count back: the ReplicaSet ends
 * what is not ready first, and then what is cheap, so that never fewer pods are ready than before.
 */
function letGo(record: RoomRecord, scene: RoomScene, ending: SurgeEnding): RoomStep {
  const { was, until } = record;
  // Those that are not ready end first anyway.
  const displaced = displacedOf(scene).filter(({ pod }) => pod.ready);
  const elsewhere = elsewhereBy(record, scene);
  const spare = Math.max(0, Math.min(elsewhere, readyIn(scene) - was, displaced.length));
  const notCheap = displaced.filter(({ pod }) => pod.annotations[costAnnotation] !== lowestCost);
  const [next] = notCheap;
  if (next !== undefined && displaced.length - notCheap.length < spare)
    return scene.now < later(until, costWait)
      ? { kind: "cheapen", pod: next.pod, change: "nothing" }
      : putBack(record, scene, givenUp(notCheaper));
  return putBack(record, scene, spare > 0 ? madeBy(record) : ending);
}

// The API server's times are whole seconds.
const wholeSecond = seconds(1);

/** Whether a pod is younger than a surge. */
const isOfSurge = ({ created }: Pod, { since }: RoomRecord): boolean =>
  later(created, wholeSecond) > since;

/** How many pods of a surge have not come to a node despite its mark. A node may also be drained later than they came. */
function elsewhereBy(record: RoomRecord, { replicas, draining }: RoomScene): number {
  // Also those that the drain has evicted already.
  const back = replicas.filter(
    ({ pod }) =>
      isOfSurge(pod, record) && pod.created > later(draining.get(pod.node) ?? never, lateness),
  );
  return record.is - record.was - back.length;
}

// The scheduler may put a pod onto a node that was marked a moment ago.
const lateness = seconds(2);

/** The autoscaler goes first: it would raise the count again. */
function putBack(record: RoomRecord, scene: RoomScene, { note, ...how }: SurgeEnding): RoomStep {
  const { workload, now } = scene;
  const { replicas, scalers } = workload;
  const lower = tryLower(scene);
  if (lower !== undefined) return lower;
  const isFollowed = scalers.every(({ state }) => state === "followed");
  if (!isFollowed && now < record.until) return waiting(scene);
  // The admission policy lets no record go without its count, which an autoscaler of others may raise again.
  const count = replicas === record.is ? record.was : "as it is";
  const change = { ...how, from: record.is, to: count === "as it is" ? replicas : count };
  const why = note || whyRaisedAgain(record, workload);
  return { ...write(workload, noteAfter(why, record, scene), count), change };
}

/** The note that keeps a workload from being surged again soon; none without a reason, or where it is off by now. */
function noteAfter(why: string, record: RoomRecord, scene: RoomScene): RoomWrite["record"] {
  const { now } = scene;
  if (why === "" || !isOn(scene)) return "none";
  const until = later(now, restAfterFailure);
  return { ...record, phase: "none", is: record.was, since: now, until, why };
}

/**
 * Why an autoscaler raises the count again; empty if none does. Somebody may have made one meanwhile, or taken away the record
 * of this one: each further surge would leave it higher.
 */
const whyRaisedAgain = ({ was }: RoomRecord, { scalers }: Pick<Workload, "scalers">): string =>
  scalers.some(({ min }) => min > was)
    ? "its autoscaler keeps it at the higher count, and has no record of that"
    : "";

/** The state of a surge that an earlier pass has begun, before its pods are looked at, however late that is. */
export function surgedBefore(workload: WorkloadMetadata, now: Instant): RoomState {
  const record = surgeAt(now, workload.annotations);
  if (record !== undefined) return { kind: "awaited", why: surgeWords(workload, record, now) };
  return { kind: "awaited", why: waitsFor(workload) };
}

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
    return { kind: hasLetGo(scene) ? "awaited" : "waits", why: waitsFor(workload) };
  const coming = activeOf(scene)
    .filter((replica) => !counts(replica, scene))
    .map(titleOf);
  const awaited = coming.length === 0 ? "" : `, waiting for ${someOf(coming)} to be ready`;
  return { kind: "awaited", why: surgeWords(workload, record, now, awaited) };
}

// A workload may be switched off in the midst of its surge.
export const isOn = ({ settings, workload, namespace }: RoomScene): boolean =>
  settings.makeRoom !== "off" &&
  [workload, ...workload.scalers]
    .map(({ annotations }) => annotations)
    .concat(namespace)
    .every((annotations) => wish(annotations) !== "off");

const readyIn = (scene: RoomScene): number =>
  activeOf(scene).filter((replica) => counts(replica, scene)).length;

/** How many displaced pods are not ready any more, as on a node that fails: the way back ends them, and nobody waits for them. */
const replacedIn = (record: RoomRecord, scene: RoomScene): number =>
  displacedOf(scene).filter(({ pod }) => !(pod.ready || isOfSurge(pod, record))).length;

/** Whether a pod has been ready for as long as its workload asks for. */
const counts = (
  { pod, readySince }: Replica,
  { workload, now }: Pick<RoomScene, "now" | "workload">,
): boolean => pod.ready && now >= later(readySince, workload.minReady);

const activeOf = ({ replicas }: Pick<RoomScene, "replicas">): readonly Replica[] =>
  replicas.filter(({ pod }) => isActive(pod));

/** The pods that drains have to move, the oldest first, an order that all drains find; none where no room is made any more. */
export const displacedOf = (scene: RoomScene): readonly Replica[] =>
  activeOf(scene)
    .filter(({ pod }) => isOn(scene) && scene.draining.has(pod.node))
    .filter(({ pod }) => !isLeftAlone(pod, scene) && tryProtectionOf(pod, scene) === undefined)
    .toSorted(
      (a, b) => between(b.pod.created, a.pod.created) || (titleOf(a) < titleOf(b) ? -1 : 1),
    );

const titleOf = ({ pod }: Replica): string => podTitle(pod);
