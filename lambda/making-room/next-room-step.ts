import type { NodeName } from "../base/ids.ts";
import { between, earliest, type Instant, later, minutes, seconds } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import { isActive, isLeftAlone } from "../drain/pod-class.ts";
import { tryProtectionOf } from "../drain/protection.ts";
import { costAnnotation, lowestCost, type RoomRecord, tryRecord } from "./record.ts";
import { type RoomRefusal, tryRoomRefusal } from "./room-refusal.ts";
import type { Replica, RoomSite, Scaler, Workload } from "./workload.ts";

/** A drain that waits for room. */
export interface Need {
  readonly node: NodeName;
  /** The budget that holds its pod, for people. */
  readonly budget: string;
  /** When the drain goes on without it. */
  readonly until: Instant;
}

/** What somebody who looks at a workload knows; a look without a need only puts back what nobody needs. */
export interface RoomScene extends RoomSite {
  readonly need: Need | "none";
  readonly settings: DrainSettings;
  readonly now: Instant;
}

/** How a surge ended. */
export type RoomEnd = "changed by somebody" | "late" | "made" | "no room" | "not needed";

/** What is waited for before anything else is done about a workload. */
export interface RoomWait {
  /** The pods that are not ready yet. */
  readonly for: readonly string[];
  /** What was changed; `none` where nothing is changed before all pods are ready. */
  readonly record: RoomRecord | "none";
  /** Whether the ReplicaSet is about to end pods that were let go. */
  readonly surplus: boolean;
}

/** What to do next about a workload. Each step is one request, and may be the last one of whoever takes it. */
export type RoomStep =
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly refusal: RoomRefusal }
  /** It was tried in vain a while ago. */
  | { readonly kind: "in vain"; readonly why: string }
  | ({ readonly kind: "wait" } & RoomWait)
  /** Note at the Deployment what is about to change; without an autoscaler the count too. */
  | { readonly kind: "surge"; readonly record: RoomRecord; readonly count: number | "as it is" }
  | { readonly kind: "raise"; readonly record: RoomRecord; readonly scaler: Scaler }
  /** Make the ReplicaSet end this pod first. */
  | { readonly kind: "cheapen"; readonly pod: Pod }
  | { readonly kind: "lower"; readonly min: number | "as it is"; readonly scaler: Scaler }
  | {
      readonly kind: "put back";
      readonly count: number | "as it is";
      /** What is noted instead, so that nobody tries the same again at once. */
      readonly note: RoomRecord | "none";
      readonly record: RoomRecord;
      readonly end: RoomEnd;
      readonly why: string;
    };

// The sweep of the schedule comes several times within an hour.
const longestSurge = minutes(30);
const shortestSurge = seconds(10);
// A node autoscaler gets so much time to bring a node.
const patienceWithScheduler = minutes(2);
const restAfterFailure = minutes(10);

/** Chooses what to do next about a workload, from how it looks now: it remembers nothing but what stands at the workload. */
export function nextRoomStep(scene: RoomScene): RoomStep {
  const record = tryRecord(scene.workload.annotations);
  if (record?.phase === "up") return goOn(record, scene);
  const left = tryLeftBehind(scene.workload);
  if (left !== undefined) return left;
  if (scene.need === "none") return forgotten(record, scene);
  if (record !== undefined && scene.now < record.until) return { kind: "in vain", why: record.why };
  return begin(scene.need, scene);
}

/** An autoscaler that is still raised though its Deployment has no record of it. */
function tryLeftBehind({ scaler }: Workload): RoomStep | undefined {
  if (scaler === "none") return undefined;
  const record = tryRecord(scaler.annotations);
  return record === undefined ? undefined : lowering(scaler, record);
}

const lowering = (scaler: Scaler, { was, is }: RoomRecord): RoomStep => ({
  kind: "lower",
  min: scaler.min === is ? was : "as it is",
  scaler,
});

function forgotten(record: RoomRecord | undefined, { now, settings }: RoomScene): RoomStep {
  if (record === undefined || (isOn(settings) && now < record.until)) return { kind: "nothing" };
  const nothing = { count: "as it is", note: "none", end: "not needed", why: "" } as const;
  return { kind: "put back", record, ...nothing };
}

function begin(need: Need, scene: RoomScene): RoomStep {
  const { workload, now } = scene;
  const refusal = tryRoomRefusal(workload);
  if (refusal !== undefined) return { kind: "refused", refusal };
  const until = earliest(need.until, later(now, longestSurge));
  if (between(now, until) < shortestSurge) return { kind: "refused", refusal: { kind: "no-time" } };
  const active = activeOf(scene);
  // Whoever waits may be helped by what comes up by itself.
  const isWhole = active.length === workload.replicas && readyIn(scene) === active.length;
  if (workload.state === "under way" || !isWhole) return waiting("none", scene);
  const was = workload.replicas;
  const is = was + surgeOf(scene);
  const why = `node ${need.node} under budget ${need.budget}`;
  const record: RoomRecord = { phase: "up", was, is, since: now, until, why };
  return { kind: "surge", record, count: workload.scaler === "none" ? is : "as it is" };
}

/** As many as all drains displace, at most what a rollout may make more and what an autoscaler allows; but one. */
function surgeOf(scene: RoomScene): number {
  const { replicas, maxSurge, scaler } = scene.workload;
  const room = scaler === "none" ? maxSurge : Math.min(maxSurge, scaler.max - replicas);
  return Math.max(1, Math.min(displacedOf(scene).length, room));
}

function goOn(record: RoomRecord, scene: RoomScene): RoomStep {
  const ending = tryEnd(record, scene);
  if (ending === undefined) return awaited(record, scene);
  // What has come up may be used all the same, even if it is less than was asked for.
  return isOver(ending) ? putBack(record, scene, ending) : letGo(record, ending, scene);
}

/** How a surge ends now; `undefined` while its pods are awaited. */
function tryEnd(record: RoomRecord, scene: RoomScene): Ending | undefined {
  const { workload } = scene;
  const isOurs = workload.replicas === record.is || waitsForScaler(record, workload);
  if (!isOurs) return { end: "changed by somebody", why: "" };
  if (displacedOf(scene).length === 0) return { end: "not needed", why: "" };
  const isThere = workload.replicas === record.is && readyIn(scene) >= record.is;
  return isThere ? { end: "made", why: "" } : tryFailure(record, scene);
}

const isOver = ({ end }: Ending): boolean => end === "changed by somebody" || end === "not needed";

function awaited(record: RoomRecord, scene: RoomScene): RoomStep {
  const { scaler, replicas } = scene.workload;
  if (scaler !== "none" && replicas < record.is && tryRecord(scaler.annotations) === undefined)
    return raising(record, scaler);
  return waiting(record, scene);
}

function waiting(record: RoomRecord | "none", scene: RoomScene): RoomStep {
  const active = activeOf(scene);
  return {
    kind: "wait",
    for: active.filter(isComing).map(titleOf),
    record,
    surplus: active.length > scene.workload.replicas,
  };
}

const waitsForScaler = ({ was, is }: RoomRecord, { scaler, replicas }: Workload): boolean =>
  scaler !== "none" && replicas >= was && replicas < is;

const raising = ({ is, ...record }: RoomRecord, scaler: Scaler): RoomStep => ({
  kind: "raise",
  record: { ...record, was: scaler.min, is },
  scaler,
});

const isComing = ({ pod }: Replica): boolean => !pod.ready;

interface Ending {
  readonly end: RoomEnd;
  readonly why: string;
}

function tryFailure({ since, until, is }: RoomRecord, scene: RoomScene): Ending | undefined {
  const { now } = scene;
  if (now >= until) return { end: "late", why: "the new pod was not ready in time" };
  if (between(since, now) < patienceWithScheduler) return undefined;
  const active = activeOf(scene);
  const [unplaced] = active.filter((replica) => replica.unplaced !== "");
  if (unplaced !== undefined) return { end: "no room", why: unplaced.unplaced };
  return active.length < is ? { end: "no room", why: notMade } : undefined;
}

const notMade = "its controller made no pod, as where a ResourceQuota or a policy refuses one";

/**
 * Makes as many displaced pods cheap as there are ready ones too many, and then gives the count back: the ReplicaSet ends
 * what is not ready first, and then what is cheap, so that never fewer pods are ready than before.
 */
function letGo(record: RoomRecord, ending: Ending, scene: RoomScene): RoomStep {
  const { was, is } = record;
  const displaced = displacedOf(scene);
  const spare = Math.max(0, Math.min(is - was, readyIn(scene) - was, displaced.length));
  const cheap = displaced.filter(isCheap).length;
  const [next] = displaced.filter((replica) => !isCheap(replica));
  if (cheap < spare && next !== undefined) return { kind: "cheapen", pod: next.pod };
  const { end, why } = spare > 0 ? { end: "made" as const, why: "" } : ending;
  return putBack(record, scene, { end, why });
}

const readyIn = (scene: RoomScene): number => activeOf(scene).filter(({ pod }) => pod.ready).length;

const isCheap = ({ pod }: Replica): boolean => pod.annotations[costAnnotation] === lowestCost;

/** The autoscaler goes first: it would raise the count again. */
function putBack(record: RoomRecord, scene: RoomScene, ending: Ending): RoomStep {
  const { workload, now } = scene;
  const { scaler, replicas } = workload;
  const raised = scaler === "none" ? undefined : tryRecord(scaler.annotations);
  if (scaler !== "none" && raised !== undefined) return lowering(scaler, raised);
  if (scaler !== "none" && scaler.state === "behind" && now < record.until)
    return waiting(record, scene);
  const { was, is } = record;
  const count = replicas === is ? was : "as it is";
  return { kind: "put back", count, note: noteOf(record, scene, ending), record, ...ending };
}

/** What is noted where a surge came to nothing, so that nobody tries the same again at once. */
function noteOf({ was, is }: RoomRecord, scene: RoomScene, { end, why }: Ending) {
  const { now, workload, settings } = scene;
  const note = {
    phase: "none",
    was,
    is: was,
    since: now,
    until: later(now, restAfterFailure),
  } as const;
  if (end === "late" || end === "no room") return { ...note, why };
  // Whoever has undone a surge would undo the next one too.
  const isUndone = end === "changed by somebody" && workload.replicas < is && isOn(settings);
  if (!isUndone) return "none";
  return { ...note, why: `somebody has set its count to ${workload.replicas} meanwhile` };
}

const activeOf = ({ replicas }: RoomSite): readonly Replica[] =>
  replicas.filter(({ pod }) => isActive(pod));

const isOn = ({ makeRoom }: DrainSettings): boolean => makeRoom !== "off";

/** The pods that drains have to move, in an order that all drains find; none where no room is made any more. */
export const displacedOf = (scene: RoomScene): readonly Replica[] =>
  activeOf(scene)
    .filter(({ pod }) => isOn(scene.settings) && scene.draining.has(pod.node))
    .filter(({ pod }) => !isLeftAlone(pod, scene) && tryProtectionOf(pod, scene) === undefined)
    .toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));

const titleOf = ({ pod }: Replica): string => podTitle(pod);
