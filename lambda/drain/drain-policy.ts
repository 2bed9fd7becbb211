import type { GroupSelector } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Duration } from "../base/time.ts";
import type { Selector } from "./budget.ts";
import type { Taint } from "./node.ts";

/** The annotations of other tools that protect a pod, and that the drain can honour too. */
export type Protection =
  | "karpenter.sh/do-not-disrupt"
  | "cluster-autoscaler.kubernetes.io/safe-to-evict";

/** The kinds of pods on which `kubectl drain` stops: those without a controller, and those with an emptyDir volume. */
export type Stop = "bare" | "empty-dir";

/** Whether pods may be made elsewhere first: for no workload, for those that ask for it, or for all that do not refuse. */
export type MakeRoom = "annotated" | "off" | "on";

/** The settings of a drain. */
export interface DrainSettings {
  /** The time limit of a drain, from the notice's own time. */
  readonly timeout: Duration;
  /** Whether the drain deletes pods whose grace would end after the deadline, whatever their budgets say. */
  readonly force: "at-deadline" | "never";
  /** Whether an instance goes on at the deadline though its drain is not done, or is kept where its group retains it. */
  readonly atDeadline: "CONTINUE" | "ABANDON";
  /** Whether critical pods wait until the ordinary ones are gone. */
  readonly tiers: "critical-last" | "none";
  /** The share of the time up to the deadline for which critical pods wait at most, in percent. */
  readonly tierPercent: number;
  /** The time after the mark in which an empty node does not count as empty yet. */
  readonly settle: Duration;
  readonly protections: readonly Protection[];
  /** The kinds of pods that are protected although nobody has annotated them. */
  readonly stopOn: readonly Stop[];
  /** The pods that the drain is about; it leaves all others alone. */
  readonly podSelector: Selector;
  /** The time limit for the volumes of drained pods to detach; 0 to wait for none. */
  readonly volumeTimeout: Duration;
  /** The time limit for load balancers; 0 to wait for none. */
  readonly targetTimeout: Duration;
  /** Whether the drain takes the instance out of its load balancers if nobody else does. */
  readonly deregister: "never" | "if-nobody-does";
  /** The most evictions at the same time. */
  readonly concurrency: number;
  /** The taints that the mark puts on the node besides the cordon; may be empty. */
  readonly taints: readonly Taint[];
  /** Whether the drain also evicts the pods of DaemonSets, last of all. */
  readonly daemonSets: "leave" | "evict";
  /** Whether the drain makes a pod elsewhere first where a budget has nothing to spare. */
  readonly makeRoom: MakeRoom;
  /** Whether the drain evicts pods, only keeps new ones off the node, or only finds out what it would do. */
  readonly mode: "evict" | "cordon-only" | "dry-run";
}

/** The drain policy of this deployment. */
export interface DrainPolicy {
  /** The Auto Scaling groups whose instances may be touched. */
  readonly managed: readonly GroupSelector[];
  /** The length of one pass; then the notice returns to the queue. */
  readonly pass: Duration;
  /** The settings of a group: those of the deployment, except where the group's own tags say otherwise. */
  settingsFor(tags: Labels): GroupSettings;
}

/** The settings of a group, and the reasons why some of its tags do not count. */
export interface GroupSettings {
  readonly settings: DrainSettings;
  readonly refused: readonly string[];
}
