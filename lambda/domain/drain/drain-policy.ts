import type { GroupName } from "../ids.ts";
import type { Labels } from "../labels.ts";
import type { Taint } from "../node/node.ts";
import type { Duration } from "../time.ts";

/** The annotations by which other tools' users protect a pod, and which are heeded here too. */
export type Protection =
  | "karpenter.sh/do-not-disrupt"
  | "cluster-autoscaler.kubernetes.io/safe-to-evict";

/** How a node is drained. */
export interface DrainSettings {
  /** How long a drain may take, from the notice's own time. */
  readonly timeout: Duration;
  /** Whether pods whose grace would end after the deadline are deleted, budget or not. */
  readonly force: "at-deadline" | "never";
  /** Whether critical pods wait for the ordinary ones to be gone. */
  readonly tiers: "critical-last" | "none";
  /** How much of the time up to the deadline critical pods wait at most. */
  readonly tierPercent: number;
  /** How long after the mark an empty node is not yet believed. */
  readonly settle: Duration;
  readonly protections: readonly Protection[];
  /** How long the volumes of drained pods may take to detach; none at all is waited for at 0. */
  readonly volumeTimeout: Duration;
  /** How many evictions may be under way at once. */
  readonly concurrency: number;
  /** What is put on the node besides the cordon, if anything. */
  readonly taints: readonly Taint[];
  /** Whether the pods of DaemonSets are asked to go as well, last of all. */
  readonly daemonSets: "leave" | "evict";
  /** Whether pods are evicted at all, or only nothing new may land. */
  readonly mode: "evict" | "cordon-only";
}

/** How this deployment drains. */
export interface DrainPolicy {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupName[];
  /** How long one pass works before it hands the notice back. */
  readonly pass: Duration;
  /** The settings of a group: those of the deployment, but for what the group's own tags say. */
  settingsFor(tags: Labels): GroupSettings;
}

/** The settings of a group, and what in its tags could not be heeded. */
export interface GroupSettings {
  readonly settings: DrainSettings;
  readonly refused: readonly string[];
}
