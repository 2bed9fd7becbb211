import type { Pod } from "./pod.ts";

const criticalClasses = ["system-cluster-critical", "system-node-critical"];

/** It serves the others, so it leaves last. */
export const isCritical = (pod: Pod): boolean => criticalClasses.includes(pod.priorityClass);

/** It has ended by itself and holds nothing. */
export const isTerminal = (pod: Pod): boolean =>
  pod.phase === "Succeeded" || pod.phase === "Failed";

/** It has been told to end. */
export const isTerminating = (pod: Pod): boolean => pod.termination.kind === "terminating";

/** A DaemonSet, of whatever API group, would put it back at once. */
export const isOfDaemonSet = (pod: Pod): boolean =>
  pod.controller.kind === "owner" && pod.controller.type === "DaemonSet";

/**
 * The node is not free while it is there. None of these hold a node:
 * - a mirror pod, which only the kubelet can end;
 * - a terminal pod;
 * - a DaemonSet's pod.
 */
export const holdsNode = (pod: Pod): boolean =>
  !(pod.mirror || isTerminal(pod) || isOfDaemonSet(pod));
