import { legible } from "../base/legible.ts";
import { type Instant, later, minutes, timestamp, tryInstantOf } from "../base/time.ts";
import { tryCause } from "../drain/cause.ts";
import {
  cordonedAnnotation,
  type Marking,
  markedAtAnnotation,
  unchanged,
} from "../drain/marking.ts";
import type { Node, Taint } from "../drain/node.ts";
import { tryUnmarking, type Unmarking } from "../drain/unmarking.ts";
import { type Note, noteLines } from "../notice/outcome.ts";
import type { Turn } from "./progress.ts";
import { ownValue, upgradeAnnotations } from "./upgrade-annotations.ts";

/** Keeps Cluster Autoscaler from removing a node. @see https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md#how-can-i-prevent-cluster-autoscaler-from-scaling-down-a-particular-node */
export const scaleDownDisabledAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/** As long as an invocation lasts at most. */
export const longestPass = minutes(2);

type Annotated = Pick<Node, "annotations">;

/** What to write to a node at which the start of an upgrade is claimed. */
export const claimMarking = (id: string, at: Instant): Marking => ({
  ...unchanged,
  annotations: { [upgradeAnnotations.claimed]: `${id} ${timestamp(at)}` },
});

/** Whether another start may still be about to write its first tags: as long as an invocation lasts. */
export function isClaimedByOthers({ annotations }: Annotated, id: string, now: Instant): boolean {
  const [of, text = ""] = annotations[upgradeAnnotations.claimed]?.split(" ") ?? [];
  const at = tryInstantOf(text);
  return of !== id && at !== undefined && now < later(at, longestPass);
}

/** Whether a new node has been validated in this upgrade. */
export const isValidated = (node: Annotated, id: string): boolean =>
  ownValue(node, upgradeAnnotations.validated, id) !== undefined;

/** What to write to a new node that has been validated: until the upgrade ends, Cluster Autoscaler leaves it alone. */
export const validatedMarking = ({ annotations }: Annotated, id: string): Marking => ({
  ...unchanged,
  annotations: {
    [upgradeAnnotations.validated]: `${id} true`,
    ...(scaleDownDisabledAnnotation in annotations
      ? {}
      : { [scaleDownDisabledAnnotation]: "true", [upgradeAnnotations.kept]: `${id} true` }),
  },
});

/** How many pods an old node had when this upgrade counted them; `undefined` when it has not. */
export function tryCounted(node: Annotated, id: string): number | undefined {
  const text = ownValue(node, upgradeAnnotations.pods, id);
  return text === undefined ? undefined : Number(text);
}

/** What to write to an old node whose pods are counted; `undefined` when another pass has done so. */
export const tryCountMarking = (node: Annotated, id: string, pods: number): Marking | undefined =>
  tryCounted(node, id) === undefined
    ? { ...unchanged, annotations: { [upgradeAnnotations.pods]: `${id} ${pods}` } }
    : undefined;

/** What to write to an old node so that no pod is scheduled there; load balancers keep it. `undefined` where it has a cordon. */
export const tryCordoning = ({ unschedulable }: Node, id: string): Marking | undefined =>
  unschedulable
    ? undefined
    : {
        ...unchanged,
        annotations: { [upgradeAnnotations.cordoned]: `${id} true` },
        unschedulable: true,
      };

/** What takes the cordon of this upgrade off an old node; `undefined` where it has none, or another drain has marked the node. */
export const tryUncordoning = (node: Node, id: string): Unmarking | undefined =>
  ownValue(node, upgradeAnnotations.cordoned, id) === undefined || isMarked(node)
    ? undefined
    : {
        ...unchanged,
        annotations: { [upgradeAnnotations.cordoned]: null },
        unschedulable: false,
      };

/** What to write to an old node when its turn to be drained has come. */
export const turnMarking = (id: string, { number, begun }: Turn): Marking => ({
  ...unchanged,
  annotations: { [upgradeAnnotations.turn]: `${id} ${number} ${timestamp(begun)}` },
});

/** What to write to an old node when it is drained. */
export const drainedMarking = (id: string, { number }: Turn, at: Instant): Marking => ({
  ...unchanged,
  annotations: { [upgradeAnnotations.drained]: `${id} ${number} ${timestamp(at)}` },
});

const longestText = 1000;

/** What to write to an old node whose pods did not leave in time. */
export const blockedMarking = (id: string, { number }: Turn, left: readonly Note[]): Marking => ({
  ...unchanged,
  annotations: {
    [upgradeAnnotations.blocked]: `${id} ${number} ${legible(noteLines(left).join("; ")).slice(0, longestText)}`,
  },
});

/** Whether a node has the mark of a drain, which takes it out of load balancers. */
export const isMarked = ({ annotations }: Annotated): boolean => markedAtAnnotation in annotations;

/** Takes the mark of an upgrade's drain off a node; `undefined` where there is none, or another drain has taken it over. */
export const tryReopening = (node: Node, taints: readonly Taint[]): Unmarking | undefined =>
  tryCause(node)?.reason === "upgraded" ? tryUnmarking(node, taints) : undefined;

/** What takes every trace of upgrades off a node, and the mark of their drains; `undefined` when it has none. */
export function tryRestoring(
  node: Node,
  taints: readonly Taint[],
): Marking | Unmarking | undefined {
  const own = Object.values(upgradeAnnotations).filter((key) => key in node.annotations);
  if (own.length === 0) return undefined;
  const kept = upgradeAnnotations.kept in node.annotations ? [scaleDownDisabledAnnotation] : [];
  const removed = Object.fromEntries([...own, ...kept].map((key) => [key, null]));
  const isCordoned = upgradeAnnotations.cordoned in node.annotations;
  const mark = tryReopening(node, taints);
  if (mark === undefined && isMarked(node)) return handedOver(removed, isCordoned);
  return {
    ...unchanged,
    ...mark,
    annotations: { ...mark?.annotations, ...removed },
    ...(isCordoned ? { unschedulable: false } : {}),
  };
}

/** A node that another drain has marked stays closed, and an upgrade's cordon is that drain's from now on. */
const handedOver = (removed: Unmarking["annotations"], isCordoned: boolean): Marking => ({
  ...unchanged,
  annotations: { ...removed, ...(isCordoned ? { [cordonedAnnotation]: "true" } : {}) },
});
