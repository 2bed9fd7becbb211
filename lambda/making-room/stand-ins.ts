import { between, type Instant, later, never, seconds } from "../base/time.ts";
import { costAnnotation, lowestCost, type RoomRecord } from "./record.ts";
import {
  countsFrom,
  displacedOf,
  isGone,
  isOfSurge,
  type RoomScene,
  readyOf,
} from "./room-scene.ts";
import { drainOf, isLongOver, isTimeUp } from "./surge-time.ts";
import type { Replica } from "./workload.ts";

/** The displaced pods for which others stand in now: those that count, or, where no drain can wait until they do, those that are only ready, as a budget counts them. */
export function replacedBy(record: RoomRecord, scene: RoomScene): readonly Replica[] {
  const counted = leavingIn(record, scene).slice(0, countedBy(record, scene));
  const claims = claimsOn(record, scene);
  return claims.some(({ kind }) => kind === "waits")
    ? counted
    : [...counted, ...claims.map(({ by }) => by)];
}

/** The ready pods that do not count yet, as long as a surge waits until they do. */
export function settlingIn(record: RoomRecord, scene: RoomScene): readonly Replica[] {
  const waits = claimsOn(record, scene).some(({ kind }) => kind === "waits");
  const isUsed = isTimeUp(record, scene) && !waits;
  const isNone = spareTimes(record, scene).every((at) => at <= scene.now);
  return isUsed || isNone || isLongOver(record, scene)
    ? []
    : presentIn(record, scene).filter((one) => countsFrom(one, scene) > scene.now);
}

/** The claim of a displaced pod on another one that is ready and does not count yet: its drain waits for that, or is about to force it. */
interface Claim {
  readonly by: Replica;
  readonly kind: "forced" | "waits";
}

/** The claims of displaced pods for which none stands in that counts, in the order of their drains' times: each has one of its own. */
function claimsOn(record: RoomRecord, scene: RoomScene): readonly Claim[] {
  const times = spareTimes(record, scene).filter((at) => at > scene.now);
  const claims: Claim[] = [];
  for (const by of leavingIn(record, scene).slice(countedBy(record, scene))) {
    const isNew = isOfSurge(by.pod, record) && !isGone(by, scene);
    const at = isNew ? undefined : times.at(claims.length);
    const kind = at === undefined ? "none" : claimOf(by, at, scene);
    if (kind !== "none") claims.push({ by, kind });
  }
  return claims;
}

/** A pod on a node that is gone stands in for nobody but itself. A drain that forces nothing claims only a pod that counts before it ends; one of which nobody knows whether it forces may do so. */
function claimOf(by: Replica, counted: Instant, scene: RoomScene): Claim["kind"] | "none" {
  if (isGone(by, scene)) return "forced";
  const { until, force } = drainOf(by.pod, scene);
  if (until > (force === "never" ? counted : scene.now)) return "waits";
  return force === "at-deadline" ? "forced" : "none";
}

/** For how many displaced pods others stand in that count. */
const countedBy = (record: RoomRecord, scene: RoomScene): number =>
  spareTimes(record, scene).filter((at) => at <= scene.now).length;

/** When others stand in for displaced pods: as many as are ready beyond the count of before, in the order in which they count. */
const spareTimes = (record: RoomRecord, scene: RoomScene): readonly Instant[] =>
  presentIn(record, scene)
    .map((one) => countsFrom(one, scene))
    .toSorted((a, b) => between(b, a))
    .slice(record.was)
    .slice(0, Math.max(0, elsewhereBy(record, scene)));

/** The ready pods, but for those of the surge that have come to nodes despite their marks. */
const presentIn = (record: RoomRecord, scene: RoomScene): readonly Replica[] =>
  readyOf(scene).filter((one) => !(isOfSurge(one.pod, record) && isBack(one, scene)));

/**
 * The ready displaced pods, in the order in which they are let go: first those on nodes that are gone, which only look ready, and those that have the cost
 * by which they end. Then old ones whose drains go on now, and then those whose drains wait the shortest: of a new pod, too, whose node is drained by then.
 */
const leavingIn = (record: RoomRecord, scene: RoomScene): readonly Replica[] =>
  displacedOf(scene)
    .filter(({ pod }) => pod.ready)
    .toSorted(
      (a, b) =>
        turnOf(a, record, scene) - turnOf(b, record, scene) ||
        between(drainOf(b.pod, scene).until, drainOf(a.pod, scene).until),
    );

/** The first of these turns that a pod has, or the last one. */
function turnOf(one: Replica, record: RoomRecord, scene: RoomScene): number {
  const isDue = !isOfSurge(one.pod, record) && drainOf(one.pod, scene).until <= scene.now;
  const turns = [isGone(one, scene), hasLowestCost(one), isDue, true];
  return turns.indexOf(true);
}

/** Whether a pod has the cost by which it ends before all others. */
export const hasLowestCost = ({ pod }: Replica): boolean =>
  pod.annotations[costAnnotation] === lowestCost;

/** How many pods of a surge have not come to a node despite its mark. A node may also be drained later than they came. */
export const elsewhereBy = (record: RoomRecord, scene: RoomScene): number =>
  record.is -
  record.was -
  // Also those that the drain has evicted already.
  scene.replicas.filter((one) => isOfSurge(one.pod, record) && isBack(one, scene)).length;

/** Whether a pod has come to a node despite its mark. */
const isBack = ({ pod }: Replica, { draining }: Pick<RoomScene, "draining">): boolean =>
  pod.created > later(draining.get(pod.node)?.at ?? never, lateness);

// The scheduler may put a pod onto a node that was marked a moment ago.
const lateness = seconds(2);

/** How many displaced pods are not ready any more, as on a node that fails: the way back ends them, and nobody waits for them. */
export const unservingIn = (record: RoomRecord, scene: RoomScene): number =>
  displacedOf(scene).filter(({ pod }) => !(pod.ready || isOfSurge(pod, record))).length;
