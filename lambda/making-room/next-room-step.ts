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

/** How far the room for a pod is, where nothing is to be done about it now. */
export type RoomStanding =
  | { readonly kind: "nothing" }
  | { readonly kind: "refused"; readonly refusal: RoomRefusal }
  /** It was tried in vain a while ago. */
  | { readonly kind: "in vain"; readonly why: string }
  | {
      readonly kind: "wait";
      readonly workload: Workload;
      /** The pods that are not ready yet. */
      readonly for: readonly string[];
      /** Whether the ReplicaSet is about to end pods that were let go. */
      readonly surplus: boolean;
    };

/** What to do next about a workload. Each step is one request, and may be the last one of whoever takes it. */
export type RoomStep =
  | RoomStanding
  /** Note at the Deployment what is about to change; without an autoscaler the count too. */
  | { readonly kind: "surge"; readonly record: RoomRecord; readonly count: number | "as it is" }
  /** Make the ReplicaSet end this pod first. */
  | { readonly kind: "cheapen"; readonly pod: Pod }
  | {
      readonly kind: "lower" | "raise";
      readonly scaler: Scaler;
      readonly record: RoomRecord | "none";
      readonly min: number | "as it is";
    }
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
  const { workload, need, now } = scene;
  const record = tryRecord(workload.annotations);
  if (record?.phase === "up") return goOn(record, scene);
  const left = tryLower(workload);
  if (left !== undefined) return left;
  if (need === "none") return idle(record, scene);
  const isNoted = record !== undefined && now < record.until;
  return isNoted ? { kind: "in vain", why: record.why } : begin(need, scene);
}

function idle(record: RoomRecord | undefined, { now, settings }: RoomScene): RoomStep {
  if (record === undefined || (isOn(settings) && now < record.until)) return { kind: "nothing" };
  return { kind: "put back", record, ...forgotten };
}

const forgotten = { end: "not needed", why: "", note: "none", count: "as it is" } as const;

/** What puts an autoscaler back, if one is raised; its Deployment may have no record of it any more. */
function tryLower({ scaler }: Workload): RoomStep | undefined {
  const record = scaler === "none" ? undefined : tryRecord(scaler.annotations);
  if (scaler === "none" || record === undefined) return undefined;
  const min = scaler.min === record.is ? record.was : "as it is";
  return { kind: "lower", scaler, record: "none", min };
}

function begin(need: Need, scene: RoomScene): RoomStep {
  const { workload, now } = scene;
  const refusal = tryRoomRefusal(workload);
  if (refusal !== undefined) return { kind: "refused", refusal };
  const until = earliest(need.until, later(now, longestSurge));
  if (between(now, until) < shortestSurge) return { kind: "refused", refusal: { kind: "no-time" } };
  const active = activeOf(scene);
  const { replicas: was, scaler, state } = workload;
  // Whoever waits may be helped by what comes up by itself.
  const isWhole = active.length === was && readyIn(scene) === was;
  if (state === "under way" || !isWhole) return waiting(scene);
  const is = was + surgeOf(scene);
  const why = `node ${need.node} under budget ${need.budget}`;
  const record: RoomRecord = { phase: "up", was, is, since: now, until, why };
  return { kind: "surge", record, count: scaler === "none" ? is : "as it is" };
}

/** As many as all drains displace, at most what a rollout may make more and what an autoscaler allows; but one. */
function surgeOf(scene: RoomScene): number {
  const { replicas, maxSurge, scaler } = scene.workload;
  const room = scaler === "none" ? maxSurge : Math.min(maxSurge, scaler.max - replicas);
  return Math.max(1, Math.min(displacedOf(scene).length, room));
}

function goOn(record: RoomRecord, scene: RoomScene): RoomStep {
  const { scaler, replicas } = scene.workload;
  const { was, is } = record;
  const isRising = scaler !== "none" && replicas >= was && replicas < is;
  if (replicas !== is && !isRising)
    return putBack(record, scene, { end: "changed by somebody", why: "" });
  if (displacedOf(scene).length === 0)
    return putBack(record, scene, { end: "not needed", why: "" });
  const ending = tryEnd(record, scene);
  // What has come up may be used all the same, even if it is less than was asked for.
  if (ending !== undefined) return letGo(record, scene, ending);
  if (isRising && tryRecord(scaler.annotations) === undefined)
    return { kind: "raise", scaler, record: { ...record, was: scaler.min }, min: is };
  return waiting(scene);
}

function waiting(scene: RoomScene): RoomStep {
  const { workload } = scene;
  const active = activeOf(scene);
  const coming = active.filter(({ pod }) => !pod.ready).map(titleOf);
  return { kind: "wait", workload, for: coming, surplus: active.length > workload.replicas };
}

type Ending = Pick<Extract<RoomStep, { readonly kind: "put back" }>, "end" | "why">;

function tryEnd({ since, until, is }: RoomRecord, scene: RoomScene): Ending | undefined {
  const { now, workload } = scene;
  if (workload.replicas === is && readyIn(scene) >= is) return { end: "made", why: "" };
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
function letGo(record: RoomRecord, scene: RoomScene, ending: Ending): RoomStep {
  const { was, is } = record;
  const displaced = displacedOf(scene);
  const spare = Math.max(0, Math.min(is - was, readyIn(scene) - was, displaced.length));
  const [next, ...others] = displaced.filter(
    ({ pod }) => pod.annotations[costAnnotation] !== lowestCost,
  );
  const cheap = displaced.length - 1 - others.length;
  if (next !== undefined && cheap < spare) return { kind: "cheapen", pod: next.pod };
  return putBack(record, scene, spare > 0 ? { end: "made", why: "" } : ending);
}

const readyIn = (scene: RoomScene): number => activeOf(scene).filter(({ pod }) => pod.ready).length;

/** The autoscaler goes first: it would raise the count again. */
function putBack(record: RoomRecord, scene: RoomScene, ending: Ending): RoomStep {
  const { workload, now } = scene;
  const { scaler, replicas } = workload;
  const lower = tryLower(workload);
  if (lower !== undefined) return lower;
  if (scaler !== "none" && scaler.state === "behind" && now < record.until) return waiting(scene);
  const count = replicas === record.is ? record.was : "as it is";
  return { kind: "put back", count, note: noteOf(record, scene, ending), record, ...ending };
}

/** What is noted where a surge came to nothing, so that nobody tries the same again at once. */
function noteOf({ was, is }: RoomRecord, scene: RoomScene, { end, why }: Ending) {
  const { now, workload, settings } = scene;
  const until = later(now, restAfterFailure);
  const note = { phase: "none", was, is: was, since: now, until } as const;
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
