import { someOf } from "../base/counted.ts";
import { later, minutes, never } from "../base/time.ts";
import { podTitle } from "../drain/pod.ts";
import { beginSurge } from "./begin-surge.ts";
import { type EndingPods, endingPodsOf } from "./ending-pods.ts";
import { type RoomRecord, recordAt, recordLabel, tryRecord, trySurge } from "./record.ts";
import {
  hindered,
  nothing,
  type RoomState,
  refused,
  tooFar,
  tryOff,
  tryRoomRefusal,
} from "./room-refusal.ts";
import {
  displacedOf,
  isGone,
  isOn,
  isOver,
  type RoomScene,
  readyOf,
  titleOf,
  waiting,
} from "./room-scene.ts";
import { type RoomStep, type RoomWrite, write } from "./room-step.ts";
import { elsewhereOf, hasLowestCost, replacedBy, settlingIn } from "./stand-ins.ts";
import { changed, givenUp, madeBy, notNeeded, type SurgeEnding, tryEnd } from "./surge-ending.ts";
import { isLongOver, isTimeUp, longestSurge, waitOf } from "./surge-time.ts";
import { mostMore, mostOf, type Replica, type Scaler, type Workload } from "./workload.ts";

const restAfterFailure = minutes(10);
// Another write of the same pod may come between, as the kubelet's. A drain looks again soon; nobody else does.
const triesIn = ({ need }: Pick<RoomScene, "need">): number => (need === "none" ? 3 : 1);

/** Decides what to do next about a workload, from its present state. It remembers only what is recorded on the workload. */
export function nextRoomStep(scene: RoomScene): RoomStep {
  const { workload, need, now } = scene;
  const record = recordAt(now, workload.annotations);
  if (record?.phase === "up") return goOn(record, scene);
  const left = tryLeft(scene);
  if (left !== undefined) return left;
  if (record !== undefined && record.since < record.until && now < record.until && isOn(scene))
    return need === "none" ? nothing : { kind: "in vain", why: record.why };
  return need === "none" ? clean(scene) : beginSurge(need, scene);
}

/** Removes the note of a surge where no room is made in the cluster any more. Else it stays until the next surge. */
const clean = ({ workload, settings, now }: RoomScene): RoomStep =>
  settings.makeRoom === "off" && recordAt(now, workload.annotations) !== undefined
    ? write(workload, "none", "as it is")
    : nothing;

// An editor of a workload may change its record too, and ends no pod by that.
const notOurs = ({ was, is }: Pick<RoomRecord, "is" | "was">): string =>
  `somebody has changed its record, for no drain would have raised it from ${was} to ${is}; set its count, and remove the annotation and the label ${recordLabel}`;

/** What a surge whose record is gone has left: its label, and the least count of an autoscaler. */
function tryLeft(scene: RoomScene): RoomStep | undefined {
  const lower = tryLower(scene);
  const isOver = lower !== undefined || scene.need === "none";
  return isOver && scene.workload.isLabelled ? takeLabel(scene) : lower;
}

/** A label may come back beside the note of an end, again and again, as from a repository: that is no loss. */
function takeLabel(scene: RoomScene): RoomStep {
  const { workload } = scene;
  const note = tryRecord(workload.annotations);
  return note === undefined || note.phase === "up"
    ? noteLoss(scene)
    : write(workload, note, "as it is");
}

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

/** Whether a drain may have written the record of a workload: others may write there what they like. Its owner may have another `maxSurge` by now. */
export function isOurs({ annotations }: Pick<Workload, "annotations">): boolean {
  const record = trySurge(annotations);
  return record === undefined || (record.was > 0 && record.is - record.was <= mostMore);
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
  if (ending !== undefined) return tryDead(record, scene) ?? letGo(record, scene, ending);
  if (isTimeUp(record, scene)) return settling(record, scene);
  return tryHeld(record, scene) ?? rise(record, scene);
}

/**
 * Waits before a surge ends as long as a pod looks ready on a node that is gone, and another one might end in its place: where it is not among those that
 * end, or a ready pod that stays costs as little.
 */
function tryDead(record: RoomRecord, scene: RoomScene): RoomState | undefined {
  const ready = readyOf(scene);
  const dead = ready.filter((one) => isGone(one, scene));
  const used = replacedBy(record, scene);
  const isSafe = ready
    .filter((one) => dead.includes(one) || hasLowestCost(one))
    .every((one) => used.includes(one));
  return dead.length === 0 || isSafe || isLongOver(record, scene)
    ? undefined
    : awaitingRemoval(dead);
}

const awaitingRemoval = (pods: readonly Replica[]): RoomState =>
  hindered(`Kubernetes removes its pods of nodes that are gone: ${someOf(pods.map(titleOf))}`);

/** What a surge waits for whose own drain may be over, to those who only put counts back. */
function tryHeld(record: RoomRecord, scene: RoomScene): RoomState | undefined {
  const { need, workload } = scene;
  const { was } = record;
  if (need !== "none" || workload.replicas <= was) return undefined;
  const held = heldFor(record, scene);
  if (held.length === 0) {
    const left = displacedOf(scene).filter((one) => !isOver(one, scene));
    return left.every((one) => isGone(one, scene)) ? awaitingRemoval(left) : undefined;
  }
  const isEnough = elsewhereOf(scene).length >= was;
  if (isEnough && settlingIn(record, scene).length > 0) return settling(record, scene);
  return hindered(`${theyEnd} ${someOf([...new Set(held.map(({ pod }) => pod.node))])}`);
}

/** The displaced pods for whose drains a surge goes on after its own one, while perhaps nobody looks at it. */
function heldFor({ until }: RoomRecord, scene: RoomScene): readonly Replica[] {
  const { now, isLastLook } = scene;
  const displaced = displacedOf(scene);
  const going = displaced.filter((one) => !(isGone(one, scene) || isOver(one, scene)));
  if (isLastLook || displaced.some((one) => isOver(one, scene))) return going;
  // The drain of a known deadline is one of the function, whose schedule looks again.
  return now < until ? [] : going.filter(({ pod }) => waitOf(pod, scene) >= never);
}

// Nobody knows whether a drain at a terminal goes on. The names may be too long for a line.
const theyEnd = "these drains end (repeat together, or undo, those that do not go on):";

/** Raises an autoscaler for what its workload has noted, or waits. */
function rise(record: RoomRecord, scene: RoomScene): RoomStep {
  const { replicas, scalers } = scene.workload;
  const [scaler] = scalers;
  const isToRise = scaler !== undefined && replicas < record.is && scaler.min < record.is;
  if (!isToRise || tryLower(scene) !== undefined) return waiting(scene);
  const refusal = tryRise(record, scaler, scene);
  if (refusal !== undefined) return putBack(record, scene, givenUp(refusal));
  return write(scaler, { ...record, was: scaler.min }, record.is);
}

/** The state of a surge whose time is up, and whose new pods are ready and do not count yet. */
function settling(record: RoomRecord, scene: RoomScene): RoomState {
  const names = settlingIn(record, scene).map(titleOf);
  return scene.need === "none"
    ? hindered(`its pods are available: ${someOf(names)}`)
    : waiting(scene);
}

/** Why an autoscaler does not go up after all: others may have changed it or its workload since that was noted. */
function tryRise({ is }: RoomRecord, scaler: Scaler, scene: RoomScene): string | undefined {
  const { workload, settings, namespace } = scene;
  if (tryOff(settings.makeRoom, namespace, workload) !== undefined) return "it is off by now";
  if (is > mostOf(scaler)) return tooFar(scaler);
  return tryRoomRefusal(workload);
}

/** Makes those pods cheap that are to end, and then gives the count back, so that the ReplicaSet ends them and no other. */
function letGo(record: RoomRecord, scene: RoomScene, ending: SurgeEnding): RoomStep {
  const ends = endingPodsOf(record, scene);
  const step = tryCheapen(ends, record, scene);
  if (step !== undefined) return step;
  const { endsProtected, displaced, spare } = ends;
  if (endsProtected !== undefined && !isLongOver(record, scene))
    return hindered(`${titleOf(endsProtected)}, which is protected, is ready`);
  if (displaced.length > 0) return putBack(record, scene, givenUp(notCheaper));
  return putBack(record, scene, spare > 0 ? madeBy(record) : ending);
}

/** Sets the costs of pods, some times in each look; `undefined` where all have theirs, or the count goes back without. */
function tryCheapen(
  { displaced, unneeded, endWithout }: EndingPods,
  record: RoomRecord,
  scene: RoomScene,
): RoomStep | undefined {
  const pods = [...displaced, ...unneeded];
  if (pods.length === 0) return undefined;
  const mayFail = endWithout || isLongOver(record, scene);
  if (scene.tries < triesIn(scene)) return { kind: "cheapen", pods, mayFail };
  if (mayFail) return undefined;
  const names = pods.map(({ pod }) => podTitle(pod));
  return hindered(`its pods have their deletion costs: ${someOf(names)}`);
}

const notCheaper =
  "its old pods get no deletion cost, as where somebody refuses it or takes it away each time, or nothing answers in time";

/** The autoscaler goes first: it would raise the count again. */
function putBack(record: RoomRecord, scene: RoomScene, { note, ...how }: SurgeEnding): RoomStep {
  const { workload, now } = scene;
  const { replicas, scalers } = workload;
  const lower = tryLower(scene);
  if (lower !== undefined) return lower;
  const isFollowed = scalers.every(({ state }) => state === "followed");
  if (!isFollowed && now < later(record.since, longestSurge))
    return hindered("KEDA has handed its least count on");
  // The admission policy lets no record go without its count, which an autoscaler of others may raise again.
  const count = replicas === record.is ? record.was : "as it is";
  const change = { ...how, from: record.is, to: count === "as it is" ? replicas : count };
  const why = note || whyRaisedAgain(record, workload);
  return { ...write(workload, noteAfter(why, record, scene), count), change };
}

/**
 * The note that a surge leaves: for a moment no drain evicts another pod. With a reason it also keeps the workload from being
 * surged again soon, unless that is off by now.
 */
function noteAfter(why: string, record: RoomRecord, scene: RoomScene): RoomRecord | "none" {
  const { now } = scene;
  if (scene.settings.makeRoom === "off") return "none";
  const note = { ...record, phase: "none", is: record.was, since: now } as const;
  if (why === "" || !isOn(scene)) return { ...note, until: now, why: ended };
  return { ...note, until: later(now, restAfterFailure), why };
}

const ended = "its count went back";

// Nobody puts a count back without its record.
export const taken = "somebody has taken its record away, so its count stays";

/**
 * Notes at a workload that its record was taken away, and takes its label, to which `kubectl rollout undo` might bring it back. A process that has
 * not seen that surge may begin another.
 */
export function noteLoss({
  workload,
  settings,
  now,
}: Pick<RoomScene, "now" | "settings" | "workload">): RoomWrite {
  const { replicas: count } = workload;
  const note = {
    phase: "lost",
    was: count,
    is: count,
    since: now,
    until: now,
    why: taken,
  } as const;
  const change = { stage: "given up", from: count, to: count, why: taken } as const;
  return { ...write(workload, settings.makeRoom === "off" ? "none" : note, "as it is"), change };
}

/**
 * Why an autoscaler raises the count again; empty if none does. Somebody may have made one meanwhile, or taken away the record
 * of this one: each further surge would leave it higher.
 */
const whyRaisedAgain = ({ was }: RoomRecord, { scalers }: Pick<Workload, "scalers">): string =>
  scalers.some(({ min }) => min > was)
    ? "its autoscaler keeps it at the higher count, and has no record of that"
    : "";
