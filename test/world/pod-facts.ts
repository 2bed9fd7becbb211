import type { Instant } from "../../lambda/base/time.ts";
import { controllerOf, terminating } from "../../sandbox/kubernetes/kube-object.ts";
import { type Pod, podFinished } from "../../sandbox/kubernetes/pod.ts";

// The facts about pods that /docs state, read from the objects themselves, without the code under
// test.
const own = "eks-node-lifecycle/drain";
const classes = ["system-cluster-critical", "system-node-critical"];

const says = ({ metadata }: Pod, key: string): string => metadata.annotations?.[key] ?? "";

/** A pod's name for people. */
export const titleOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

/** Whether the drain evicts the pod after the ordinary ones. */
export const isCritical = ({ spec }: Pod): boolean =>
  classes.includes(spec.priorityClassName ?? "");

/** The pod's grace in milliseconds, at least one second. */
export const graceOf = ({ spec }: Pod): number =>
  Math.max(1, spec.terminationGracePeriodSeconds ?? 30) * 1000;

/** Whether the drain leaves the pod alone as long as it runs. */
export const staysAnyway = (pod: Pod): boolean =>
  "kubernetes.io/config.mirror" in (pod.metadata.annotations ?? {}) ||
  controllerOf(pod)?.kind === "DaemonSet" ||
  says(pod, own) === "skip";

/** Whether the pod has ended by itself. */
export const hasEnded = (pod: Pod): boolean => podFinished(pod) && !terminating(pod);

/** Whether the pod tolerates every taint, so that its controller may put it back onto the node. */
export const mayBePutBack = (pod: Pod): boolean =>
  controllerOf(pod) !== undefined &&
  (pod.spec.tolerations ?? []).some(
    ({ key, operator }) => key === undefined && operator === "Exists",
  );

const lifelong = [
  [own, "wait-completed"],
  ["karpenter.sh/do-not-disrupt", "true"],
  ["cluster-autoscaler.kubernetes.io/safe-to-evict", "false"],
] as const;

/** Whether an annotation protects the pod at this moment. */
export const isProtected = (pod: Pod, at: Instant): boolean =>
  lifelong.some(([key, value]) => says(pod, key) === value) || at < protectedUntil(pod);

/** The end of a protection that the annotation states in minutes. */
function protectedUntil(pod: Pod): number {
  const [, minutes = 0] = /^(\d+)m$/.exec(says(pod, "karpenter.sh/do-not-disrupt")) ?? [];
  return Date.parse(pod.status.startTime ?? pod.metadata.creationTimestamp) + Number(minutes) * 6e4;
}
