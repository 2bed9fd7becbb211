import { between, later, never, seconds } from "../base/time.ts";
import type { Pod } from "../drain/pod.ts";
import { isLeftAlone } from "../drain/pod-class.ts";
import { hasOwnWish, tryProtectionOf } from "../drain/protection.ts";
import { costAnnotation, lowestCost, type RoomRecord, unneededCost } from "./record.ts";
import { activeOf, displacedOf, isOn, type RoomScene, readyIn, readyOf } from "./room-scene.ts";
import type { SetDeletionCost } from "./room-step.ts";
import type { Replica } from "./workload.ts";

/** A pod that needs another cost, so that it ends when the count goes back. */
export interface EndingPod extends Pick<SetDeletionCost, "cost" | "pod"> {
  /** A pod that a drain displaces, or one that the surge has made and nobody needs. */
  readonly is: "displaced" | "unneeded";
}

/** The pods that end with a surge. */
interface EndingPods {
  /** How many displaced pods others stand in for. */
  readonly spare: number;
  /** The next one that needs a cost; `none` once all have theirs. */
  readonly next: EndingPod | "none";
  /** Whether a pod ends all the same that an annotation or a setting protects, because it is not ready now. */
  readonly endsProtected: boolean;
}

/**
 * Chooses the pods that end when a count goes back: as many displaced pods as there are ready ones too many, and the surge's own pods for the rest.
 * A ReplicaSet ends first what is not ready, whatever the costs. So never fewer pods are ready than before, and of what is ready no other pod ends.
 */
export function endingPodsOf(record: RoomRecord, scene: RoomScene): EndingPods {
  const { spare, displaced } = spareIn(record, scene);
  const cheap = displaced.filter((one) => costOf(one) === lowestCost);
  const next = displaced.find((one) => costOf(one) !== lowestCost);
  const known = { spare, endsProtected: false };
  if (next !== undefined && cheap.length < spare)
    return { ...known, next: { is: "displaced", pod: next.pod, cost: lowestCost } };
  const unneeded = tryUnready(record, scene) ?? tryUnneeded(record, scene);
  if (unneeded === undefined)
    return { spare, next: "none", endsProtected: isProtectedEnding(record, scene) };
  const cost = unneededCostIn(record, scene);
  return { ...known, next: { is: "unneeded", pod: unneeded.pod, cost } };
}

/**
 * The ready displaced pods, and how many of them end. Where a drain is about to force its own ones, these come first, and new pods stand in for them that
 * are ready, if not for as long as their workload asks for: a budget counts these.
 */
function spareIn(record: RoomRecord, scene: RoomScene) {
  const displaced = displacedOf(scene).filter(({ pod }) => pod.ready);
  const elsewhere = elsewhereBy(record, scene);
  const most = (ready: number, some: readonly Replica[]): number =>
    Math.max(0, Math.min(elsewhere, ready - record.was, some.length));
  const spare = most(readyIn(scene), displaced);
  const forced = displaced.filter(({ pod }) => isForced(pod, scene));
  const inTurn = [...forced, ...displaced.filter((one) => !forced.includes(one))];
  return { spare: Math.max(spare, most(readyOf(scene).length, forced)), displaced: inTurn };
}

const isForced = ({ node }: Pod, { need, settings, now }: RoomScene): boolean =>
  need !== "none" && need.node === node && now >= need.until && settings.force !== "never";

/** The pods that are not ready: those that are to end first, and the others. */
function unreadyOf(record: RoomRecord, scene: RoomScene) {
  const displaced = new Set(displacedOf(scene));
  const unready = activeOf(scene).filter(({ pod }) => !pod.ready);
  const isOurs = (one: Replica): boolean => displaced.has(one) || isOfSurge(one.pod, record);
  return { ours: unready.filter(isOurs), others: unready.filter((one) => !isOurs(one)) };
}

/** How many pods end when the count goes back. */
const endingIn = (record: RoomRecord, scene: RoomScene): number =>
  isOn(scene) && scene.workload.replicas === record.is ? activeOf(scene).length - record.was : 0;

/** A pod that is to end and is not ready, beside others that are not: the ReplicaSet would end one of these that shares its node. */
function tryUnready(record: RoomRecord, scene: RoomScene): Replica | undefined {
  const { ours, others } = unreadyOf(record, scene);
  const isChosen = ours.filter(isCheap).length >= endingIn(record, scene);
  return others.length === 0 || isChosen
    ? undefined
    : ours.find((one) => !isCheap(one) && isWritable(one));
}

function isProtectedEnding(record: RoomRecord, scene: RoomScene): boolean {
  const { ours, others } = unreadyOf(record, scene);
  return (
    ours.length < endingIn(record, scene) &&
    others.some(({ pod }) => isLeftAlone(pod, scene) || tryProtectionOf(pod, scene) !== undefined)
  );
}

const costOf = ({ pod }: Replica): string => pod.annotations[costAnnotation] ?? "";

const isCheap = (one: Replica): boolean => [lowestCost, unneededCost].includes(costOf(one));

// lambda/rights/node-fence.yaml lets no pod be written whose owner says how it is drained.
const isWritable = ({ pod }: Replica): boolean => !hasOwnWish(pod);

/** A pod that has kept this cost from an earlier surge would end in place of a new one that gets the same. */
const unneededCostIn = (record: RoomRecord, scene: RoomScene): SetDeletionCost["cost"] =>
  activeOf(scene).some((one) => costOf(one) === unneededCost && !isOfSurge(one.pod, record))
    ? lowestCost
    : unneededCost;

/**
 * A ready pod of a surge that is to end with it: first one that a drain would move, then one that nothing protects, and then the one that is ready last.
 * Otherwise the ReplicaSet would choose one that shares its node with others, even if an annotation protects it.
 */
function tryUnneeded(record: RoomRecord, scene: RoomScene): Replica | undefined {
  if (endingIn(record, scene) <= 0) return undefined;
  const ready = readyOf(scene);
  const own = ready.filter(({ pod }) => isOfSurge(pod, record));
  // An old pod may be the cheapest of all, such as one whose drain was undone after it got its cost.
  const chosen = ready.filter(
    (one) => costOf(one) === lowestCost || (own.includes(one) && isCheap(one)),
  );
  if (chosen.length >= ready.length - record.was) return undefined;
  const stays = ({ pod }: Replica): number => Number(!scene.draining.has(pod.node));
  const isKept = ({ pod }: Replica): number => Number(tryProtectionOf(pod, scene) !== undefined);
  return own
    .filter((one) => !isCheap(one) && isWritable(one))
    .toSorted(
      (a, b) => stays(a) - stays(b) || isKept(a) - isKept(b) || between(a.readySince, b.readySince),
    )
    .at(0);
}

// The API server's times are whole seconds, and ours is known to a second.
const creationSlack = seconds(3);

/** Whether a pod is younger than a surge. */
const isOfSurge = ({ created }: Pod, { since }: RoomRecord): boolean =>
  later(created, creationSlack) > since;

/** How many pods of a surge have not come to a node despite its mark. A node may also be drained later than they came. */
export function elsewhereBy(record: RoomRecord, { replicas, draining }: RoomScene): number {
  // Also those that the drain has evicted already.
  const back = replicas.filter(
    ({ pod }) =>
      isOfSurge(pod, record) && pod.created > later(draining.get(pod.node) ?? never, lateness),
  );
  return record.is - record.was - back.length;
}

// The scheduler may put a pod onto a node that was marked a moment ago.
const lateness = seconds(2);

/** How many displaced pods are not ready any more, as on a node that fails: the way back ends them, and nobody waits for them. */
export const replacedIn = (record: RoomRecord, scene: RoomScene): number =>
  displacedOf(scene).filter(({ pod }) => !(pod.ready || isOfSurge(pod, record))).length;
