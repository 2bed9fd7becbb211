import type { Node } from "./node.ts";
import { type Instant, timestamp, tryInstantOf } from "./time.ts";

/** The label that takes a node out of load balancers. @see https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-exclude-from-external-load-balancers */
export const exclusionLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

/** The value by which our label is told from everyone else's. */
export const ownMark = "eks-node-lifecycle";

/** When the node was last marked, in ISO 8601. */
export const markedAtAnnotation = "eks-node-lifecycle/marked-at";

/** There when the cordon is ours, so that an undo takes back only our own. */
export const cordonedAnnotation = "eks-node-lifecycle/cordoned";

/** What to write onto a node so that nothing new lands on it. */
export interface Marking {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly unschedulable: true;
}

// The cloud controller reads the value as a boolean: "false" alone leaves a node in its load balancers.
const isExcluded = (node: Node): boolean => {
  const value = node.labels[exclusionLabel];
  return value !== undefined && value !== "false";
};

/** When a node was marked, or `undefined` if some of the mark is missing. */
export function tryMarkedAt(node: Node): Instant | undefined {
  if (!node.unschedulable || !isExcluded(node)) return undefined;
  return tryInstantOf(node.annotations[markedAtAnnotation] ?? "");
}

/** What is missing of a node's mark; someone else's label and cordon stay theirs. */
export function markingFor(node: Node, now: Instant): Marking {
  return {
    labels: isExcluded(node) ? {} : { [exclusionLabel]: ownMark },
    annotations: {
      [markedAtAnnotation]: timestamp(now),
      ...(node.unschedulable ? {} : { [cordonedAnnotation]: "true" }),
    },
    unschedulable: true,
  };
}
