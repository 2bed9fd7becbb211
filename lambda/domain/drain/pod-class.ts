import type { Node } from "../node/node.ts";
import { type Pod, tolerates } from "../pod/pod.ts";
import { between, type Duration, type Instant, seconds } from "../time.ts";
import type { DrainSettings } from "./drain-policy.ts";
import { isSkipped, tryProtection } from "./protection.ts";

/** What the standing of a pod depends on besides the pod. */
export interface Scene {
  readonly now: Instant;
  readonly node: Node;
  /** When the node was marked. */
  readonly marked: Instant;
  /** UIDs of DaemonSets that own pods here but are gone themselves. */
  readonly orphaned: ReadonlySet<string>;
  readonly settings: DrainSettings;
}

const criticalClasses = ["system-cluster-critical", "system-node-critical"];
const cordonTaint = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };

/** It serves the others, so it leaves last. */
export const isCritical = (pod: Pod): boolean => criticalClasses.includes(pod.priorityClass);

/**
 * It has ended by itself and holds nothing. One that was told to end shows the same phase while its node still
 * tidies up after it: until it is gone, nothing may take its place.
 */
export const isTerminal = (pod: Pod): boolean =>
  (pod.phase === "Succeeded" || pod.phase === "Failed") && !isTerminating(pod);

/** It has been told to end. */
export const isTerminating = (pod: Pod): boolean => pod.termination.kind === "terminating";

/** It has been told to end, its grace is over, and yet it is still there: nobody waits for it any more. */
export const isStuck = (pod: Pod, { now, node }: Scene): boolean =>
  pod.termination.kind === "terminating" &&
  between(pod.termination.until, now) > patienceWith(node);

/** How long after its grace a pod of the node is still waited for. */
export const patienceWith = (node: Node): Duration =>
  isUnreachable(node) ? seconds(1) : seconds(60);

/** The kubelet has fallen silent; a node that says itself that it is not ready is another matter. */
export const isUnreachable = (node: Node): boolean => node.readiness === "unreachable";

/** A DaemonSet, of whatever API group, would put it back at once. */
export const isOfDaemonSet = (pod: Pod, { orphaned }: Pick<Scene, "orphaned">): boolean =>
  pod.controller.kind === "owner" &&
  pod.controller.type === "DaemonSet" &&
  !orphaned.has(pod.controller.uid);

/** It tolerates the mark, so its controller may put it back onto the marked node. */
export const toleratesMark = (pod: Pod, { settings }: Pick<Scene, "settings">): boolean =>
  [cordonTaint, ...settings.taints].every((taint) => tolerates(pod, taint));

/**
 * It came back to the node over the mark: to evict it again would go on for ever. All of these:
 * - something puts it up again;
 * - it tolerates the mark;
 * - it is younger than the mark.
 */
export const isReturned = (pod: Pod, scene: Scene): boolean =>
  !isBare(pod) && toleratesMark(pod, scene) && pod.created > scene.marked;

/** Nobody puts it up again. */
export const isBare = (pod: Pod): boolean => pod.controller.kind === "none";

/**
 * How a pod stands towards the drain of its node.
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
  if (isSkipped(pod)) return "skipped";
  if (isReturned(pod, scene)) return "returned";
  if (isStuck(pod, scene)) return "stuck";
  if (isTerminating(pod)) return "leaving";
  return tryProtection(pod, scene.settings.protections, scene.now) === undefined
    ? "evictable"
    : "protected";
}

const holding: readonly PodClass[] = ["leaving", "protected", "evictable"];

/** The node is not free while it is there. */
export const holdsNode = (pod: Pod, scene: Scene): boolean =>
  holding.includes(podClassOf(pod, scene));

const staying: readonly PodClass[] = ["mirror", "daemonset", "skipped", "returned"];

/** It is neither evicted nor waited for, and its volumes stay attached with it. */
export const staysWithNode = (pod: Pod, scene: Scene): boolean =>
  staying.includes(podClassOf(pod, scene));
