import { between } from "../base/time.ts";
import type { Pod } from "../drain/pod.ts";
import { isLeftAlone } from "../drain/pod-class.ts";
import { hasOwnWish, tryProtectionOf } from "../drain/protection.ts";
import { costAnnotation, isCheap, lowestCost, type RoomRecord, unneededCost } from "./record.ts";
import { activeOf, displacedOf, isOfSurge, isOn, type RoomScene, readyOf } from "./room-scene.ts";
import type { EndingPod } from "./room-step.ts";
import { hasLowestCost, replacedBy } from "./stand-ins.ts";
import type { Replica } from "./workload.ts";

/** The pods that end with a surge. */
export interface EndingPods {
  /** How many displaced pods others stand in for. */
  readonly spare: number;
  /** Those of them that lack the cost by which they end. */
  readonly displaced: readonly EndingPod[];
  /** The pods that lack it among the others that end. */
  readonly unneeded: readonly EndingPod[];
  /** Whether all these end without a cost, too, unless they become ready in that moment. */
  readonly endWithout: boolean;
  /** A pod that ends although an annotation or a setting protects it, because it is not ready now. */
  readonly endsProtected: Replica | undefined;
}

/**
 * Chooses the pods that end when a count goes back: as many displaced pods as there are ready ones too many, and the surge's own pods for the rest.
 * A ReplicaSet ends first what is not ready, whatever the costs. So never fewer pods are ready than before, and of what is ready no other pod ends.
 */
export function endingPodsOf(record: RoomRecord, scene: RoomScene): EndingPods {
  const used = replacedBy(record, scene);
  const displaced = used.filter((one) => !hasLowestCost(one));
  const unneeded = unneededIn(record, scene, used);
  const lacking = [...displaced, ...unneeded];
  return {
    spare: used.length,
    displaced: displaced.map(({ pod }) => ({ pod, cost: lowestCost })),
    unneeded: unneeded.map(({ pod }) => ({ pod, cost: costFor(pod, record, scene) })),
    endWithout:
      unreadyOf(record, scene).others.length === 0 && lacking.every(({ pod }) => !pod.ready),
    endsProtected: tryEndingProtected(record, scene),
  };
}

/** The pods that are not ready: those of the surge, the youngest first, those that drains displace, and the others. */
function unreadyOf(record: RoomRecord, scene: RoomScene) {
  const displaced = new Set(displacedOf(scene));
  const unready = activeOf(scene).filter(({ pod }) => !pod.ready);
  const own = unready
    .filter(({ pod }) => isOfSurge(pod, record))
    .toSorted((a, b) => between(a.pod.created, b.pod.created));
  const leaving = unready.filter((one) => displaced.has(one) && !own.includes(one));
  const others = unready.filter((one) => !own.includes(one) && !leaving.includes(one));
  return { own, leaving, others };
}

/** How many pods end when the count goes back. */
const endingIn = (record: RoomRecord, scene: RoomScene): number =>
  isOn(scene) && scene.workload.replicas === record.is ? activeOf(scene).length - record.was : 0;

function tryEndingProtected(record: RoomRecord, scene: RoomScene): Replica | undefined {
  const { own, leaving, others } = unreadyOf(record, scene);
  return own.length + leaving.length < endingIn(record, scene)
    ? others.find(({ pod }) => isLeftAlone(pod, scene) || tryProtectionOf(pod, scene) !== undefined)
    : undefined;
}

// lambda/rights/node-fence.yaml lets no pod be written whose owner says how it is drained.
const isWritable = ({ pod }: Replica): boolean => !hasOwnWish(pod);

/** The cost for a pod that ends: displaced ones end before new ones. One that has kept the cost of an earlier surge would end in place of a new one with the same. */
const costFor = (pod: Pod, record: RoomRecord, scene: RoomScene): EndingPod["cost"] =>
  isOfSurge(pod, record) &&
  !activeOf(scene).some(
    (one) => one.pod.annotations[costAnnotation] === unneededCost && !isOfSurge(one.pod, record),
  )
    ? unneededCost
    : lowestCost;

/**
 * The pods that are to end beside the displaced ones whose places others have taken, and lack a cost. Without it the ReplicaSet would choose those that
 * share their nodes with others, even if an annotation protects them. Also those that are not ready get one: they may become ready in that moment.
 */
function unneededIn(
  record: RoomRecord,
  scene: RoomScene,
  used: readonly Replica[],
): readonly Replica[] {
  const { own, leaving } = unreadyOf(record, scene);
  const inTurn = [...own, ...leaving, ...ownReadyIn(record, scene)].filter(
    (one) => !used.includes(one),
  );
  // An old pod may be the cheapest of all, such as one whose drain was undone after it got its cost.
  const chosen = activeOf(scene).filter(
    (one) =>
      !used.includes(one) &&
      (hasLowestCost(one) || (inTurn.includes(one) && isCheap(one.pod.annotations))),
  );
  const more = endingIn(record, scene) - used.length - chosen.length;
  return inTurn
    .filter((one) => !isCheap(one.pod.annotations) && isWritable(one))
    .slice(0, Math.max(0, more));
}

/** The ready pods of a surge: first those that a drain would move, then those that nothing protects, and then the ones that are ready last. */
function ownReadyIn(record: RoomRecord, scene: RoomScene): readonly Replica[] {
  const displaced = new Set(displacedOf(scene));
  const stays = (one: Replica): number => Number(!displaced.has(one));
  const hasProtection = ({ pod }: Replica): number =>
    Number(tryProtectionOf(pod, scene) !== undefined);
  return readyOf(scene)
    .filter(({ pod }) => isOfSurge(pod, record))
    .toSorted(
      (a, b) =>
        stays(a) - stays(b) ||
        hasProtection(a) - hasProtection(b) ||
        between(a.readySince, b.readySince),
    );
}
