import { legible } from "../base/legible.ts";
import {
  type Instant,
  later,
  minutes,
  timestamp,
  tryInstantOf,
  unlessAhead,
} from "../base/time.ts";
import { isMarkedFor } from "../drain/cause.ts";
import {
  cordonedAnnotation,
  type Marking,
  markedAtAnnotation,
  tryWrittenAt,
  unchanged,
} from "../drain/marking.ts";
import type { Annotated, MachineNode, Node, Taint } from "../drain/node.ts";
import { tryUnmarking, type Unmarking } from "../drain/unmarking.ts";
import { type Note, noteLines } from "../notice/outcome.ts";
import type { Bookmark } from "./bookmark.ts";
import type { Candidate } from "./old-instances.ts";
import {
  attemptAnnotation,
  blockedAnnotation,
  upgradeCordonAnnotation,
  upgraded,
} from "./upgrade-reason.ts";

/** Keeps Cluster Autoscaler from removing a node. @see https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/FAQ.md#how-can-i-prevent-cluster-autoscaler-from-scaling-down-a-particular-node */
export const scaleDownDisabledAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/** The longest time that an invocation takes. */
export const longestPass = minutes(2);

/** The change of a node that claims the start of an upgrade. */
export const claimMarking = (id: string, at: Instant): Marking => ({
  ...unchanged,
  annotations: { [upgradeAnnotations.claimed]: `${id} ${timestamp(at)}` },
});

/** The change that removes the claim of an upgrade; `undefined` if the node has none of it. */
export const tryUnclaiming = (node: Annotated, id: string): Marking | undefined =>
  ownValue(node, upgradeAnnotations.claimed, id) === undefined
    ? undefined
    : { ...unchanged, annotations: { [upgradeAnnotations.claimed]: null } };

/**
 * Whether another start has claimed the node and may still write its first tags. A claim counts for as long as an invocation
 * lasts, and one of the future not at all: a kubelet may write it.
 */
export function isClaimedByOthers({ annotations }: Annotated, id: string, now: Instant): boolean {
  const [of, text = ""] = annotations[upgradeAnnotations.claimed]?.split(" ") ?? [];
  const at = tryInstantOf(text);
  const isNear = at !== undefined && now < later(at, longestPass) && at <= later(now, longestPass);
  return of !== id && isNear;
}

/** Whether a new node has been validated in this upgrade. */
export const isValidated = (node: Annotated, id: string): boolean =>
  ownValue(node, upgradeAnnotations.validated, id) !== undefined;

/** The namespaces without whose DaemonSets a new node was validated; `undefined` if it was not, or lacks none. */
export function tryWithout(node: Annotated, id: string): readonly string[] | undefined {
  const [, namespaces] =
    /^without (.+)$/.exec(ownValue(node, upgradeAnnotations.validated, id) ?? "") ?? [];
  return namespaces?.split(",");
}

// So many have room in an annotation, however long their names are.
const mostWithout = 100;

/**
 * The change of a new node that is validated, perhaps without the DaemonSets of some namespaces. Cluster Autoscaler leaves it
 * alone until the upgrade ends.
 */
export const validatedMarking = (
  { annotations }: Annotated,
  id: string,
  without: readonly string[],
): Marking => ({
  ...unchanged,
  annotations: {
    [upgradeAnnotations.validated]:
      without.length === 0
        ? `${id} true`
        : `${id} without ${without.slice(0, mostWithout).join(",")}`,
    ...sparing(annotations, id),
  },
});

/** The annotations that keep Cluster Autoscaler from a node, unless somebody has set the one that it reads. */
const sparing = (annotations: Annotated["annotations"], id: string): Marking["annotations"] =>
  scaleDownDisabledAnnotation in annotations
    ? {}
    : { [scaleDownDisabledAnnotation]: "true", [upgradeAnnotations.kept]: `${id} true` };

/** The change of an old node that is drained and kept. Cluster Autoscaler would remove it, because it is empty. */
export function keptMarking(
  { annotations }: Annotated,
  id: string,
  attempt: DrainAttempt,
  at: Instant,
): Marking {
  const drained = drainedMarking(id, attempt, at);
  return { ...drained, annotations: { ...drained.annotations, ...sparing(annotations, id) } };
}

/** The number of pods that this upgrade has counted on an old node; `undefined` if it has not. */
export function tryCounted(node: Annotated, id: string): number | undefined {
  const text = ownValue(node, upgradeAnnotations.pods, id);
  return text === undefined ? undefined : Number(text);
}

/** The change of an old node whose pods are counted; `undefined` if another pass has counted them. */
export const tryCountMarking = (node: Annotated, id: string, pods: number): Marking | undefined =>
  tryCounted(node, id) === undefined
    ? { ...unchanged, annotations: { [upgradeAnnotations.pods]: `${id} ${pods}` } }
    : undefined;

/** The change that cordons an old node, while load balancers keep it; `undefined` if it is cordoned. */
export const tryCordoning = ({ unschedulable }: Node, id: string): Marking | undefined =>
  unschedulable
    ? undefined
    : {
        ...unchanged,
        annotations: { [upgradeAnnotations.cordoned]: `${id} true` },
        unschedulable: true,
      };

/** The change that removes this upgrade's cordon; `undefined` if there is none, or another drain has marked the node. */
export const tryUncordoning = (node: Node, id: string): Unmarking | undefined =>
  ownValue(node, upgradeAnnotations.cordoned, id) === undefined || isMarked(node)
    ? undefined
    : {
        ...unchanged,
        annotations: { [upgradeAnnotations.cordoned]: null },
        unschedulable: false,
      };

/** The change of an old node at the start of an attempt. */
export const attemptMarking = (id: string, { number, begun }: DrainAttempt): Marking => ({
  ...unchanged,
  annotations: { [upgradeAnnotations.attempt]: `${id} ${number} ${timestamp(begun)}` },
});

/** The change of an old node that is drained. */
export const drainedMarking = (id: string, { number }: DrainAttempt, at: Instant): Marking => ({
  ...unchanged,
  annotations: { [upgradeAnnotations.drained]: `${id} ${number} ${timestamp(at)}` },
});

// A kubelet may write a longer text into its node, which the fence takes from no function.
const longestText = 1000;

/** The change of an old node whose pods did not leave in time. */
export const blockedMarking = (
  id: string,
  { number }: DrainAttempt,
  left: readonly Note[],
): Marking => ({
  ...unchanged,
  annotations: {
    [upgradeAnnotations.blocked]: `${id} ${number} ${legible(noteLines(left).join("; ")).slice(0, longestText)}`,
  },
});

/**
 * The change of an old node that is set aside: it stays cordoned. The word `aside` takes the place of the number of its last
 * attempt.
 */
export const asideMarking = ({ unschedulable }: Node, id: string, left: string): Marking => ({
  ...unchanged,
  annotations: {
    [upgradeAnnotations.blocked]: `${id} aside ${legible(left).slice(0, longestText)}`,
    [upgradeAnnotations.attempt]: null,
    ...(unschedulable ? {} : { [upgradeAnnotations.cordoned]: `${id} true` }),
  },
  unschedulable: true,
});

/** The reason that holds a node that this upgrade has set aside; `undefined` if it has not. */
export function tryAside(node: Annotated, id: string): string | undefined {
  const [, left] = /^aside (.*)$/s.exec(ownValue(node, blockedAnnotation, id) ?? "") ?? [];
  return left;
}

/** Whether a node has the mark of a drain, which takes it out of load balancers. */
export const isMarked = ({ annotations }: Annotated): boolean => markedAtAnnotation in annotations;

/** The change that removes the mark of an upgrade's drain; `undefined` if there is none, or another drain has taken it over. */
export const tryReopening = (node: Node, taints: readonly Taint[]): Unmarking | undefined =>
  isMarkedFor(upgraded.reason, node) ? tryUnmarking(node, taints) : undefined;

/** The change that removes everything that upgrades have written to a node; `undefined` if there is nothing. */
export const tryRestoring = (
  node: Node,
  taints: readonly Taint[],
): Marking | Unmarking | undefined => tryRemoving(Object.values(upgradeAnnotations), node, taints);

/**
 * The change that opens an old node which an upgrade goes back to; `undefined` if it is open. Cluster Autoscaler leaves it alone
 * until the end.
 */
export function tryOpeningOld(
  node: Node,
  taints: readonly Taint[],
): Marking | Unmarking | undefined {
  const { kept: _, validated: __, claimed: ___, ...closing } = upgradeAnnotations;
  return tryRemoving(Object.values(closing), node, taints);
}

function tryRemoving(
  keys: readonly string[],
  node: Node,
  taints: readonly Taint[],
): Marking | Unmarking | undefined {
  const own = keys.filter((key) => key in node.annotations);
  if (own.length === 0) return undefined;
  const kept = own.includes(upgradeAnnotations.kept) ? [scaleDownDisabledAnnotation] : [];
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

/** The same at the end of an upgrade, which leaves a node that it has set aside cordoned and named. */
export function tryLeaving(
  node: Node,
  { bookmark: { id, state }, taints }: Leaving,
): Marking | Unmarking | undefined {
  if (state !== "running" || tryAside(node, id) === undefined) return tryRestoring(node, taints);
  const { blocked, cordoned, ...others } = upgradeAnnotations;
  const own = Object.values(others).filter((key) => key in node.annotations);
  if (own.length === 0) return undefined;
  return { ...unchanged, annotations: Object.fromEntries(own.map((key) => [key, null])) };
}

interface Leaving {
  readonly bookmark: Pick<Bookmark, "id" | "state">;
  readonly taints: readonly Taint[];
}

/** Leaves a node cordoned that another drain has marked. The cordon belongs to that drain from now on. */
const handedOver = (removed: Unmarking["annotations"], isCordoned: boolean): Marking => ({
  ...unchanged,
  annotations: { ...removed, ...(isCordoned ? { [cordonedAnnotation]: "true" } : {}) },
});

/** The annotations of an upgrade on nodes. Each value begins with the id of the upgrade. */
export const upgradeAnnotations = {
  /** On the first node of a group: which upgrade is about to write its first tags, and since when. */
  claimed: "eks-node-lifecycle/upgrade-claimed",
  /** On a new node that has been validated. */
  validated: "eks-node-lifecycle/upgrade-validated",
  /** On a new node, if Cluster Autoscaler leaves it alone because of this upgrade. */
  kept: "eks-node-lifecycle/upgrade-kept",
  /** On an old node, if its cordon is from this upgrade. */
  cordoned: upgradeCordonAnnotation,
  /** On an old node: how many pods a drain would have evicted at the first count, for the order `emptiest`. */
  pods: "eks-node-lifecycle/upgrade-pods",
  attempt: attemptAnnotation,
  blocked: blockedAnnotation,
  /** On an old node that the upgrade has drained: in which attempt, and when. Other drains write other annotations. */
  drained: "eks-node-lifecycle/upgrade-drained",
} as const;

/** The rest of an annotation after the id of this upgrade; `undefined` if it is absent or from another upgrade. */
export function ownValue(
  { annotations }: Pick<Node, "annotations">,
  key: string,
  id: string,
): string | undefined {
  const text = annotations[key];
  return text?.startsWith(`${id} `) ? text.slice(id.length + 1) : undefined;
}

/** One attempt to drain a node. A node that is blocked in its first attempt gets a second one after all others. */
export interface DrainAttempt {
  readonly number: number;
  readonly begun: Instant;
}

/** The state of an old node. */
export type NodeProgress =
  | { readonly kind: "untouched" }
  | { readonly kind: "draining"; readonly attempt: DrainAttempt }
  | { readonly kind: "drained"; readonly at: Instant }
  /** Its pods left in no attempt, and the upgrade goes on without it. */
  | { readonly kind: "set-aside"; readonly left: string }
  /** Its pods did not leave in time. `left` says in words what was left. */
  | { readonly kind: "blocked"; readonly attempt: DrainAttempt; readonly left: string };

/** The state of an old node in an upgrade. Marks of another upgrade do not count. */
export function progressOf(node: Node | "absent", id: string): NodeProgress {
  if (node === "absent") return { kind: "untouched" };
  const aside = tryAside(node, id);
  if (aside !== undefined) return { kind: "set-aside", left: aside };
  const attempt = tryAttempt(node, id);
  if (attempt === undefined) return { kind: "untouched" };
  const blocked = ownValue(node, blockedAnnotation, id);
  const { number, left } = numbered(blocked ?? "");
  if (number === attempt.number) return { kind: "blocked", attempt, left };
  const at = tryDrainedAt(node, attempt, id);
  return at === undefined ? { kind: "draining", attempt } : { kind: "drained", at };
}

/** The same state at a time. A kubelet may write times that are yet to come, which would hold the upgrade: they count as long past. */
export function progressAt(progress: NodeProgress, now: Instant): NodeProgress {
  if (progress.kind === "drained") return { ...progress, at: unlessAhead(progress.at, now) };
  if (progress.kind !== "draining") return progress;
  const { attempt } = progress;
  return { ...progress, attempt: { ...attempt, begun: unlessAhead(attempt.begun, now) } };
}

/** When this attempt ended; `undefined` if the node was marked again since, and has to be drained again. */
function tryDrainedAt(node: Node, attempt: DrainAttempt, id: string): Instant | undefined {
  const { number, left } = numbered(ownValue(node, upgradeAnnotations.drained, id) ?? "");
  const at = tryInstantOf(left);
  const marked = tryWrittenAt(node, markedAtAnnotation);
  if (number !== attempt.number || at === undefined || marked === undefined) return undefined;
  return marked <= at ? at : undefined;
}

function tryAttempt(node: Node, id: string): DrainAttempt | undefined {
  const { number, left } = numbered(ownValue(node, attemptAnnotation, id) ?? "");
  const begun = tryInstantOf(left);
  return number === 0 || begun === undefined ? undefined : { number, begun };
}

function numbered(text: string): { readonly number: number; readonly left: string } {
  const [, number = "0", left = ""] = /^(\d{1,3}) (.*)$/s.exec(text) ?? [];
  return { number: Number(number), left };
}

/** An old instance, and the state of its node. */
export interface CandidateProgress {
  readonly candidate: Candidate;
  readonly progress: NodeProgress;
}

/** The candidates in these states. */
export const nodesAt = (
  placed: readonly CandidateProgress[],
  kind: NodeProgress["kind"],
): readonly MachineNode[] =>
  placed.flatMap(({ candidate: { node }, progress }) =>
    node !== "absent" && progress.kind === kind ? [node] : [],
  );
