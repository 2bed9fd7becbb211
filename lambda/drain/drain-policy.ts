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

/** The workloads for which a pod is first added elsewhere: none, those that ask for it, or all that do not refuse. */
export type MakeRoom = "annotated" | "off" | "on";

/** The settings of a drain. */
export interface DrainSettings {
  /** The time limit of a drain, from the notice's own time. */
  readonly timeout: Duration;
  /** `at-deadline` deletes pods whose grace would end after the deadline, whatever their budgets say. */
  readonly force: "at-deadline" | "never";
  /** The result of the hook at the deadline of a drain that is not done; `ABANDON` keeps the instance if its group retains it. */
  readonly atDeadline: "CONTINUE" | "ABANDON";
  /** `critical-last`: critical pods wait until the ordinary ones are gone. */
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
  /** `if-nobody-does` deregisters the instance from its load balancers if nobody else does. */
  readonly deregister: "never" | "if-nobody-does";
  /** The most evictions at the same time. */
  readonly concurrency: number;
  /** The taints that the mark puts on the node besides the cordon; may be empty. */
  readonly taints: readonly Taint[];
  /** `evict` also evicts the pods of DaemonSets, last of all. */
  readonly daemonSets: "leave" | "evict";
  /** The workloads that get a pod elsewhere first where a budget has nothing to spare. */
  readonly makeRoom: MakeRoom;
  /** `on` gives nodes lifecycle conditions while they are drained. */
  readonly conditions: "off" | "on";
  /** `evict` evicts pods, `cordon-only` only keeps new ones off the node, `dry-run` only finds out what it would do. */
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
