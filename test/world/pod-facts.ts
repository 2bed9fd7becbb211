import type { Instant } from "../../lambda/domain/time.ts";
import { controllerOf, terminating } from "../../sandbox/cluster/kube-object.ts";
import { type Pod, podFinished } from "../../sandbox/cluster/pod.ts";

// What /docs say of pods, read from the objects themselves: the code under test has no part in it.
const own = "eks-node-lifecycle/drain";
const classes = ["system-cluster-critical", "system-node-critical"];

const says = ({ metadata }: Pod, key: string): string => metadata.annotations?.[key] ?? "";

/** A pod's name for people. */
export const titleOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

/** It leaves after the ordinary ones. */
export const isCritical = ({ spec }: Pod): boolean =>
  classes.includes(spec.priorityClassName ?? "");

/** Its grace in milliseconds, which is never nothing. */
export const graceOf = ({ spec }: Pod): number =>
  Math.max(1, spec.terminationGracePeriodSeconds ?? 30) * 1000;

/** It is none of the drain's business as long as it lives. */
export const staysAnyway = (pod: Pod): boolean =>
  "kubernetes.io/config.mirror" in (pod.metadata.annotations ?? {}) ||
  controllerOf(pod)?.kind === "DaemonSet" ||
  says(pod, own) === "skip";

/** It has ended by itself. */
export const hasEnded = (pod: Pod): boolean => podFinished(pod) && !terminating(pod);

/** It tolerates whatever is put on a node, and its controller may put it back there. */
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

/** Its owner has said that it is to be left alone for now. */
export const isProtected = (pod: Pod, at: Instant): boolean =>
  lifelong.some(([key, value]) => says(pod, key) === value) || at < protectedUntil(pod);

/** The end of a protection that is told in minutes. */
function protectedUntil(pod: Pod): number {
  const [, minutes = 0] = /^(\d+)m$/.exec(says(pod, "karpenter.sh/do-not-disrupt")) ?? [];
  return Date.parse(pod.status.startTime ?? pod.metadata.creationTimestamp) + Number(minutes) * 6e4;
}
