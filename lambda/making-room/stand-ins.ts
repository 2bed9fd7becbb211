import { between, type Instant, later, never, seconds } from "../base/time.ts";
import { isActive } from "../drain/pod-class.ts";
import { costAnnotation, lowestCost, type RoomRecord } from "./record.ts";
import {
  countsFrom,
  displacedOf,
  isGone,
  isOfSurge,
  type RoomScene,
  readyOf,
} from "./room-scene.ts";
import { isLongOver, waitOf } from "./surge-time.ts";
import type { Replica } from "./workload.ts";

/** The displaced pods for which others stand in now. */
export const replacedBy = (record: RoomRecord, scene: RoomScene): readonly Replica[] =>
  standInsFor(record, scene)
    .filter(({ from }) => from <= scene.now)
    .map(({ one }) => one);

/** The ready pods that do not count yet, as long as one of them is new, or a displaced one waits for that. */
export function settlingIn(record: RoomRecord, scene: RoomScene): readonly Replica[] {
  const { now } = scene;
  const waits =
    isNewYoung(record, scene) ||
    standInsFor(record, scene).some(({ from }) => from > now && from < never);
  return waits && !isLongOver(record, scene) ? youngIn(record, scene) : [];
}

/** Whether a new pod is ready, and does not count yet. */
export const isNewYoung = (record: RoomRecord, scene: RoomScene): boolean =>
  youngIn(record, scene).some(({ pod }) => isOfSurge(pod, record));

const youngIn = (record: RoomRecord, scene: RoomScene): readonly Replica[] =>
  presentIn(record, scene).filter((one) => countsFrom(one, scene) > scene.now);

/** A displaced pod, and from when another one stands in for it. */
interface StandIn {
  readonly one: Replica;
  /** From then on as many pods as before count without this one and those that leave before it; `never` while there are too few. */
  readonly from: Instant;
}

/** The displaced pods for which a surge has made others elsewhere, in the order in which they leave. */
function standInsFor(record: RoomRecord, scene: RoomScene): readonly StandIn[] {
  const present = presentIn(record, scene);
  // No more of them get one, and there may be thousands.
  return leavingIn(record, scene)
    .slice(0, record.is - record.was)
    .map((one, place, leaving) => {
      const gone = leaving.slice(0, place + 1);
      const times = present
        .filter((other) => !gone.includes(other))
        .map((other) => countsFrom(other, scene))
        .toSorted((a, b) => between(b, a));
      return { one, from: times.at(record.was - 1) ?? never };
    });
}

/** The ready pods, but for those of the surge that have come to nodes despite their marks. */
const presentIn = (record: RoomRecord, scene: RoomScene): readonly Replica[] =>
  readyOf(scene).filter((one) => !(isOfSurge(one.pod, record) && isBack(one, scene)));

/**
 * The ready displaced pods, in the order in which they are let go: first those on nodes that are gone, which only look ready, then those that have the cost
 * by which they end, and then those whose drains wait the shortest. That may be a new pod whose node is drained by then.
 */
function leavingIn(record: RoomRecord, scene: RoomScene): readonly Replica[] {
  const present = new Set(presentIn(record, scene));
  return displacedOf(scene)
    .filter((one) => present.has(one))
    .toSorted(
      (a, b) =>
        turnOf(a, scene) - turnOf(b, scene) || between(waitOf(b.pod, scene), waitOf(a.pod, scene)),
    );
}

/** The first of these turns that a pod has, or the last one. */
const turnOf = (one: Replica, scene: RoomScene): number =>
  [isGone(one, scene), hasLowestCost(one), true].indexOf(true);

/** Whether a pod has the cost by which it ends before all others. */
export const hasLowestCost = ({ pod }: Replica): boolean =>
  pod.annotations[costAnnotation] === lowestCost;

/** Whether all pods of a surge have come to nodes despite their marks. A node may also be drained later than they came. */
export function haveComeBack(record: RoomRecord, scene: RoomScene): boolean {
  // Also those that the drain has evicted already.
  const own = scene.replicas.filter(({ pod }) => isOfSurge(pod, record));
  const back = own.filter((one) => isBack(one, scene));
  const elsewhere = own.filter((one) => isActive(one.pod) && !back.includes(one));
  return back.length >= record.is - record.was && elsewhere.length === 0;
}

/** Whether a pod has come to a node despite its mark. */
const isBack = ({ pod }: Replica, { draining }: Pick<RoomScene, "draining">): boolean =>
  pod.created > later(draining.get(pod.node)?.at ?? never, lateness);

// The scheduler may put a pod onto a node that was marked a moment ago.
const lateness = seconds(2);

/** How many displaced pods are not ready any more, as on a node that fails: the way back ends them, and nobody waits for them. */
export const unservingIn = (record: RoomRecord, scene: RoomScene): number =>
  displacedOf(scene).filter(({ pod }) => !(pod.ready || isOfSurge(pod, record))).length;

/** The ready pods that no drain displaces. */
export function elsewhereOf(scene: RoomScene): readonly Replica[] {
  const displaced = new Set(displacedOf(scene));
  return readyOf(scene).filter((one) => !displaced.has(one));
}

/** Whether as many pods count that no drain displaces as before. New ones that are young are too many then, but an old one may be young for a moment. */
export function isEnoughElsewhere(record: RoomRecord, scene: RoomScene): boolean {
  const elsewhere = elsewhereOf(scene);
  const young = elsewhere.filter((one) => countsFrom(one, scene) > scene.now);
  return (
    elsewhere.length - young.length >= record.was &&
    young.every(({ pod }) => isOfSurge(pod, record))
  );
}
