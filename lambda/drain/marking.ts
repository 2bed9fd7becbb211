import { type Instant, never, timestamp, tryInstantOf } from "../base/time.ts";
import { mostVolumes } from "./attachment.ts";
import { type Cause, causeAnnotations } from "./cause.ts";
import type { Node, Taint } from "./node.ts";
import type { Reasons } from "./reason.ts";

/** The label that takes a node out of load balancers. @see https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-exclude-from-external-load-balancers */
export const exclusionLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

/** The value that distinguishes our label from that of others. */
export const ownMark = "eks-node-lifecycle";

/** When the node was last marked, in ISO 8601. */
export const markedAtAnnotation = "eks-node-lifecycle/marked-at";

/** When the last pod of the node was gone, in ISO 8601; written only if the drain has to wait for volumes. */
export const emptiedAtAnnotation = "eks-node-lifecycle/emptied-at";

/** The volumes that the drain waits for, by the names that node statuses give them; absent if it does not know them all. */
export const awaitedVolumesAnnotation = "eks-node-lifecycle/awaited-volumes";

/** When a drain that came too late began, in ISO 8601: its time counts from then, once. */
export const lateSinceAnnotation = "eks-node-lifecycle/late-since";

/** When the drain of a node at risk came to an outcome, in ISO 8601, so that no later pass drains the node again. */
export const drainedAtAnnotation = "eks-node-lifecycle/drained-at";

/** The last news of the drain that were sent since the node was marked: `start`, `block` or `end`. */
export const newsAnnotation = "eks-node-lifecycle/news";

/** Present when the cordon is ours, so that an undo removes no cordon but our own. */
export const cordonedAnnotation = "eks-node-lifecycle/cordoned";

export const isCordonedByOthers = ({ unschedulable, annotations }: Node, reasons: Reasons) =>
  unschedulable &&
  !(cordonedAnnotation in annotations) &&
  !reasons.some(({ opener }) => opener !== "drain" && opener.cordonAnnotation in annotations);

/** The value of the label that ours has replaced, so that an undo puts it back. */
export const replacedLabelAnnotation = "eks-node-lifecycle/replaced-label";

/** The changes to a node that keep new pods away. */
export interface Marking {
  readonly labels: Readonly<Record<string, string>>;
  /** `null` removes a key. */
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly unschedulable: true | "as it is";
  /** The whole list, because a patch replaces it as a whole. */
  readonly taints: readonly Taint[] | "as they are";
}

/** A change that leaves a node as it is, but for the annotations that it is given. */
export const unchanged = { labels: {}, unschedulable: "as it is", taints: "as they are" } as const;

// The cloud controller reads the value with Go's ParseBool: only these values leave a node in its load balancers.
const untrue = ["0", "f", "F", "false", "False", "FALSE"];

/** Whether load balancers exclude the node already; others may have set the label. */
export const isExcluded = (node: Pick<Node, "labels">): boolean => {
  const value = node.labels[exclusionLabel];
  return value !== undefined && !untrue.includes(value);
};

/** The value of the label that ours has replaced, if it excludes nothing: a kubelet may write any text into that annotation. */
export function tryReplaced({ annotations }: Pick<Node, "annotations">): string | undefined {
  const value = annotations[replacedLabelAnnotation];
  return value !== undefined && untrue.includes(value) ? value : undefined;
}

const missing = (node: Node, taints: readonly Taint[]): readonly Taint[] =>
  taints.filter(
    ({ key, effect }) => !node.taints.some((t) => t.key === key && t.effect === effect),
  );

/** When a node was marked, or `undefined` if a part of the mark is missing. */
export function tryMarkedAt(node: Node, taints: readonly Taint[]): Instant | undefined {
  if (!node.unschedulable || !isExcluded(node)) return undefined;
  if (missing(node, taints).length > 0) return undefined;
  return tryWrittenAt(node, markedAtAnnotation);
}

/** Reads a time from an annotation. */
export function tryWrittenAt(
  { annotations }: Pick<Node, "annotations">,
  key: string,
): Instant | undefined {
  const text = annotations[key];
  return text === undefined ? undefined : tryInstantOf(text);
}

/** The missing parts of a node's mark; labels, cordons and taints of others stay theirs. */
export function markingFor(
  node: Node,
  {
    taints,
    cause,
    at,
    lateSince = never,
  }: {
    readonly taints: readonly Taint[];
    readonly cause: Cause;
    readonly at: Instant;
    /** Since when its drain has its time anew, because it came too late. @default it is in time */
    readonly lateSince?: Instant;
  },
): Marking {
  const added = missing(node, taints);
  return {
    labels: isExcluded(node) ? {} : { [exclusionLabel]: ownMark },
    annotations: {
      [markedAtAnnotation]: timestamp(at),
      ...causeAnnotations(cause),
      ...lateness(lateSince),
      ...replacedLabel(node),
      ...(newsAnnotation in node.annotations && { [newsAnnotation]: null }),
      ...(node.unschedulable ? {} : { [cordonedAnnotation]: "true" }),
    },
    unschedulable: true,
    taints: added.length === 0 ? "as they are" : [...node.taints, ...added],
  };
}

/** Somebody may have changed or removed the label since an earlier mark: an undo gives back what was there last. */
function replacedLabel(node: Node): Marking["annotations"] {
  const { [exclusionLabel]: value = null } = node.labels;
  const isSame = isExcluded(node) || (node.annotations[replacedLabelAnnotation] ?? null) === value;
  return isSame ? {} : { [replacedLabelAnnotation]: value };
}

const lateness = (since: Instant): Marking["annotations"] =>
  since === never ? {} : { [lateSinceAnnotation]: timestamp(since) };

/** The change of a marked node if the deadline of its mark becomes earlier, or its time restarts. */
export const tightening = (cause: Cause, lateSince = never): Marking => ({
  ...unchanged,
  annotations: { ...causeAnnotations(cause), ...lateness(lateSince) },
});

/** When a node was emptied after it was marked; `undefined` if it has no such annotation. */
export function tryEmptiedAt(
  node: Pick<Node, "annotations">,
  marked: Instant,
): Instant | undefined {
  const at = tryWrittenAt(node, emptiedAtAnnotation);
  return at !== undefined && at >= marked ? at : undefined;
}

// The fence of the node's annotations refuses longer ones; 140 EBS volumes have less.
const mostOfVolumes = 8000;
const isPlain = (volume: string): boolean => /^[!-~]+$/.test(volume);

/** The annotations of a node that its last pod has left, and whose volumes the drain waits for. */
export function emptiedAnnotations(
  at: Instant,
  volumes: readonly string[] | "unknown",
): Marking["annotations"] {
  const text = volumes === "unknown" || !volumes.every(isPlain) ? "" : volumes.join(" ");
  const isNoted = text !== "" && text.length <= mostOfVolumes;
  return {
    [emptiedAtAnnotation]: timestamp(at),
    [awaitedVolumesAnnotation]: isNoted ? text : null,
  };
}

/** The volumes that an earlier pass waits for; none unless one does. */
export function awaitedVolumes(
  node: Pick<Node, "annotations">,
  marked: Instant,
): readonly string[] | "unknown" {
  if (tryEmptiedAt(node, marked) === undefined) return [];
  // A kubelet may write any text into that annotation.
  const noted = node.annotations[awaitedVolumesAnnotation]?.split(" ", mostVolumes + 1) ?? [];
  return noted.length === 0 || noted.length > mostVolumes ? "unknown" : noted;
}

/** Whether the drain of a node at risk has come to an outcome since the node was marked. */
export function isDrainedSinceMark(node: Node): boolean {
  const marked = tryWrittenAt(node, markedAtAnnotation);
  const drained = tryWrittenAt(node, drainedAtAnnotation);
  return marked !== undefined && drained !== undefined && drained >= marked;
}

/** The changes to a node at risk whose drain has ended. */
export const drainedMarking = (now: Instant): Marking => ({
  ...unchanged,
  annotations: { [drainedAtAnnotation]: timestamp(now) },
});
