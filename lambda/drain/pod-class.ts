import { between, type Duration, type Instant, seconds } from "../base/time.ts";
import { selects } from "./budget.ts";
import type { DrainSettings } from "./drain-policy.ts";
import type { Node } from "./node.ts";
import { isBare, type Pod, tolerates } from "./pod.ts";
import { isSkipped, tryProtectionOf } from "./protection.ts";

/** The facts besides the pod that decide its class. */
export interface Scene {
  readonly now: Instant;
  readonly node: Node;
  /** When the node was marked. */
  readonly marked: Instant;
  /** The keys of DaemonSets that own pods on the node but no longer exist. */
  readonly orphaned: ReadonlySet<string>;
  readonly settings: DrainSettings;
}

const criticalClasses = ["system-cluster-critical", "system-node-critical"];
/** The taint that stands for a cordon. */
export const cordonTaint = {
  key: "node.kubernetes.io/unschedulable",
  value: "",
  effect: "NoSchedule",
};

/** Whether other pods may need this one, so that it leaves last. */
export const isCritical = (pod: Pod): boolean => criticalClasses.includes(pod.priorityClass);

/**
 * Whether a pod has ended by itself, so that it holds nothing.
 *
 * A terminating pod shows the same phase while its node still cleans up after it. It is not terminal: until
 * it is gone, nothing may take its place.
 */
export const isTerminal = (pod: Pod): boolean =>
  (pod.phase === "Succeeded" || pod.phase === "Failed") && !isTerminating(pod);

export const isTerminating = (pod: Pod): boolean => pod.termination.kind === "terminating";

/** Whether a pod runs or will run: it has not ended and does not terminate, and its node does not run it by itself. */
export const isActive = (pod: Pod): boolean =>
  !(pod.mirror || isTerminal(pod) || isTerminating(pod));

/** Whether a pod is still there long after its grace has ended, so that the drain no longer waits for it. */
export const isStuck = (pod: Pod, { now, node }: Scene): boolean =>
  pod.termination.kind === "terminating" && between(pod.termination.until, now) > stuckSlack(node);

/** The time for which the drain still waits for a pod after its grace has ended. */
export const stuckSlack = (node: Node): Duration =>
  isUnreachable(node) ? seconds(1) : seconds(60);

/** Whether the kubelet has fallen silent; a node that its kubelet reports as not ready is not unreachable. */
export const isUnreachable = (node: Node): boolean => node.readiness === "unreachable";

/** Whether a DaemonSet, of whatever API group, would put the pod back at once. */
export const isOfDaemonSet = (pod: Pod, { orphaned }: Pick<Scene, "orphaned">): boolean =>
  pod.controller.kind === "owner" &&
  pod.controller.type === "DaemonSet" &&
  !orphaned.has(daemonSetKey(pod.namespace, pod.controller));

/** A DaemonSet that owns pods: anybody may write the UID of another namespace's into the pods of their own. */
export const daemonSetKey = (namespace: string, { uid }: { readonly uid: string }): string =>
  `${namespace}/${uid}`;

/** Whether a pod tolerates the mark, so that its controller may put it back onto the marked node. */
export const toleratesMark = (pod: Pod, { settings }: Pick<Scene, "settings">): boolean =>
  tolerates(pod, cordonTaint) && settings.taints.every((taint) => tolerates(pod, taint));

/**
 * Whether a pod came back to the node despite the mark, so that evictions would go on for ever. All of these:
 * - a controller recreates it;
 * - it tolerates the mark;
 * - it is younger than the mark.
 */
export const isReturned = (pod: Pod, scene: Scene): boolean =>
  // Few pods are younger than the mark, and the drain asks this of each pod at each change.
  pod.created > scene.marked && !isBare(pod) && toleratesMark(pod, scene);

/** Whether the drain neither evicts the pod nor waits for it, because its owner or the settings say so. */
export const isLeftAlone = (pod: Pod, { settings }: Pick<Scene, "settings">): boolean =>
  isSkipped(pod) || !selects(settings.podSelector, pod.labels);

/**
 * The class of a pod: what the drain of its node does with it.
 *
 * Only `leaving`, `protected` and `evictable` pods hold the node.
 */
export type PodClass =
  | "mirror"
  | "terminal"
  | "daemonset"
  | "skipped"
  | "returned"
  | "stuck"
  | "leaving"
  | "protected"
  | "evictable";

/** Puts a pod into the first class that it fits. */
export function podClassOf(pod: Pod, scene: Scene): PodClass {
  if (pod.mirror) return "mirror";
  if (isTerminal(pod)) return "terminal";
  if (isOfDaemonSet(pod, scene)) return "daemonset";
  if (isLeftAlone(pod, scene)) return "skipped";
  if (isReturned(pod, scene)) return "returned";
  if (isStuck(pod, scene)) return "stuck";
  if (isTerminating(pod)) return "leaving";
  return tryProtectionOf(pod, scene) === undefined ? "evictable" : "protected";
}

const holding: readonly PodClass[] = ["leaving", "protected", "evictable"];

/** Whether the pod keeps the node from being free. */
export const holdsNode = (pod: Pod, scene: Scene): boolean =>
  holding.includes(podClassOf(pod, scene));

const staying: readonly PodClass[] = ["mirror", "daemonset", "skipped", "returned"];

/** Whether the drain neither evicts the pod nor waits for it, so that its volumes stay attached. */
export const staysWithNode = (pod: Pod, scene: Scene): boolean =>
  staying.includes(podClassOf(pod, scene));
