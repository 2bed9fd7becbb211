import {
  heldSeconds,
  listOf,
  numberOf,
  oneOf,
  secondsFrom,
  selectorLike,
  taintKeysLike,
  taintLike,
} from "./form.ts";
import { clusterSetting, groupSetting } from "./setting.ts";

/*
 * This is the table of all settings but those of repairs, which stand in lambda/repair/repair-settings.ts. A row has the
 * name of a setting, its key in the environment, what its value may be, and its default.
 *
 * Everything else is derived from the rows: how the function reads its environment and the tags of groups, the props of
 * constructs, the fields of cluster files, and docs/settings.md, which `npm run generate` writes. That page and the
 * constructs show the comment above a row, so write it for the people who run the function.
 */

const protections = [
  "karpenter.sh/do-not-disrupt",
  "cluster-autoscaler.kubernetes.io/safe-to-evict",
] as const;

/** Drains of nodes. */
export const drainSettings = {
  /** How long a drain may take, counted from the time in the notice, or from its first pass where that comes too late. @default 15 minutes */
  timeout: groupSetting("DRAIN_TIMEOUT_SECONDS", heldSeconds(30), 900),
  /**
   * Whether pods whose grace would end after the deadline are deleted, whatever their budgets say, but never in the first
   * half of a drain; with `never` the function gets no right to delete pods, so no tag can ask for force. @default "at-deadline"
   */
  force: groupSetting("DRAIN_FORCE", oneOf("at-deadline", "never"), "at-deadline"),
  /**
   * What becomes of an instance whose drain is not done at the deadline: with `ABANDON` it is kept (`Terminating:Retained`)
   * where its group retains abandoned instances, and goes on where it does not; needs `DRAIN_FORCE` of `never`. @default "CONTINUE"
   */
  atDeadline: clusterSetting("DRAIN_RESULT_AT_DEADLINE", oneOf("CONTINUE", "ABANDON"), "CONTINUE"),
  /** Whether critical pods wait until the ordinary pods are gone. @default "critical-last" */
  tiers: groupSetting("DRAIN_TIERS", oneOf("critical-last", "none"), "critical-last"),
  /**
   * How many percent of the time from the mark to the deadline critical pods wait for ordinary pods at most; the rest of
   * the time is for the critical pods and their budgets. Where EC2 takes the instance back, or somebody stops it, more than
   * 50 count as 50. @default 75
   */
  tierPercent: clusterSetting("DRAIN_TIER_PERCENT", numberOf("percent", 0, 100), 75),
  /** How long after the mark a node does not yet count as empty, because pods may be bound to it late. @default 5 seconds */
  settle: clusterSetting("DRAIN_SETTLE_SECONDS", secondsFrom(0, 120), 5),
  /** The annotations of other tools that protect a pod here too. @default all of them */
  protectedBy: clusterSetting(
    "DRAIN_PROTECTED_BY",
    listOf("annotations", ...protections),
    protections,
  ),
  /**
   * Which pods on which `kubectl drain` stops are protected here too, until the deadline forces them: `bare` for those that
   * need its `--force` (no controller puts them up again), `empty-dir` for those that need its `--delete-emptydir-data` (the
   * data of their emptyDir volumes is lost) @default none
   */
  stopOn: groupSetting("DRAIN_STOP_ON", listOf("kinds of pods", "bare", "empty-dir"), []),
  /**
   * The label selector of the pods to evict, like `--pod-selector` of `kubectl drain`; nobody waits for
   * the other pods. @default none
   */
  podSelector: groupSetting("DRAIN_POD_SELECTOR", selectorLike("example.com/drain=yes"), ""),
  /** How long the volumes of drained pods may take to detach; with 0 no volume is waited for. @default 3 minutes */
  volumeTimeout: groupSetting("DRAIN_VOLUME_TIMEOUT_SECONDS", secondsFrom(0, 3600), 180),
  /**
   * How long a drain waits for load balancers at most, from the mark on: the evictions until its instance gets no new
   * requests, for a tenth of the drain's time at most; the end of the drain until the requests under way have ended, for the
   * deregistration delay and half a minute at most, or a tenth of the drain's time where that is longer. With 0 nobody asks
   * load balancers, upgrades and repairs neither. @default 5 minutes
   */
  targetTimeout: groupSetting("DRAIN_TARGET_TIMEOUT_SECONDS", secondsFrom(0, 300), 300),
  /**
   * Whether the function takes an instance out of its load balancers if nobody else does so within ten seconds of the mark, but
   * not before planned work, a reboot or a possible interruption, after which nobody would register it again. It may do so
   * where the tag `eks-node-lifecycle/cluster`, or the AWS Load Balancer Controller's own, is the cluster's name; with `never`
   * nowhere. @default "never"
   */
  deregister: clusterSetting("DRAIN_DEREGISTER", oneOf("never", "if-nobody-does"), "never"),
  /** How many evictions may be under way at once; there are fewer while the API server throttles, and with 1 or 2 a slow one keeps others waiting for up to 40 seconds. @default 20 */
  concurrency: groupSetting("DRAIN_CONCURRENCY", numberOf("evictions", 1, 100), 20),
  /** The taint that a node gets besides the cordon. @default none */
  taint: clusterSetting("DRAIN_TAINT", taintLike("example.com/draining=true:NoSchedule"), ""),
  /**
   * Whether the pods of DaemonSets are evicted too, once and last of all; this needs a `DRAIN_TAINT` with
   * `NoSchedule`, because otherwise they come back at once. @default "leave"
   */
  daemonSets: clusterSetting("DRAIN_DAEMONSETS", oneOf("leave", "evict"), "leave"),
  /**
   * Whether a pod is made elsewhere first where a budget has nothing to spare, so that the old one can go: for no workload, for
   * those whose own annotation `eks-node-lifecycle/make-room` or whose namespace's says `on`, or for all Deployments
   * unless either of these says anything else; `off` gives no right to scale anything. docs/making-room.md says more. @default "off"
   */
  makeRoom: clusterSetting("DRAIN_MAKE_ROOM", oneOf("off", "annotated", "on"), "off"),
  /**
   * Whether nodes get the conditions `DrainInProgress`, `Drained` and `MaintenancePlanned` of Kubernetes 1.37 while they are
   * drained, and while AWS plans work on their hosts; any version of Kubernetes takes them. `off` gives no right to the status
   * of nodes. docs/operating.md says more. @default "off"
   */
  conditions: clusterSetting("DRAIN_CONDITIONS", oneOf("off", "on"), "off"),
  /**
   * Whether pods are evicted, or the node is only marked until the deadline and its pods may leave by themselves. With
   * `dry-run` no drain changes anything in the cluster: the log says what would be evicted and what is held, and the
   * instance is released at once, also in the midst of a drain; launches and upgrades go on, and nothing is repaired.
   * With `cordon-only` upgrades and reboots evict. @default "evict"
   */
  mode: groupSetting("DRAIN_MODE", oneOf("evict", "cordon-only", "dry-run"), "evict"),
};

/** The hooks, as the function has to know them. */
export const hookSettings = {
  /**
   * How long the hooks of the groups wait for a heartbeat; a hook holds an instance for 100 times as long at most, and a
   * longer timeout is refused. @default 30 minutes
   */
  heartbeat: clusterSetting("HOOK_HEARTBEAT_SECONDS", secondsFrom(30, 7200), 1800),
};

/** Launches of instances. */
export const launchSettings = {
  /** How long a launch may take, counted from the time in the notice. @default 15 minutes */
  timeout: groupSetting("LAUNCH_TIMEOUT_SECONDS", heldSeconds(30), 900),
  /** Whether an instance goes into service only when its node is ready, or as soon as its role may join. @default "on" */
  gate: groupSetting("LAUNCH_GATE", oneOf("on", "off"), "on"),
  /**
   * The keys of the taints that a new node must have lost before it counts as ready. A list of your own takes the place of
   * the default, which has all taints of the Node Readiness Controller. @default ["readiness.k8s.io/*"]
   */
  startupTaints: clusterSetting(
    "LAUNCH_STARTUP_TAINTS",
    taintKeysLike("node.cilium.io/agent-not-ready"),
    ["readiness.k8s.io/*"],
  ),
  /**
   * Whether an instance whose node is not ready in time goes into service all the same, or is given up for another one. It
   * goes into service where the node could not be seen.
   * @default "CONTINUE"
   */
  atDeadline: groupSetting("LAUNCH_RESULT_AT_DEADLINE", oneOf("CONTINUE", "ABANDON"), "CONTINUE"),
};

/** Work on instances that end without a hook. */
export const eventSettings = {
  /** How long the drain of an instance may take that somebody stops or terminates by hand. @default 1 minute */
  stoppingTimeout: groupSetting("EVENT_STOPPING_TIMEOUT_SECONDS", secondsFrom(10, 600), 60),
  /**
   * How long before AWS's planned work on the host of an instance its drain begins; the drain is over, by force if it
   * may, when the work begins. @default 1 hour
   */
  maintenanceLead: groupSetting("EVENT_MAINTENANCE_LEAD_SECONDS", secondsFrom(300, 86_400), 3600),
  /**
   * What is done when EC2 recommends to rebalance, for a Spot instance that it may interrupt, or never: the node is cordoned
   * or drained, never by force, and opened again if nothing happens. @default "cordon"
   */
  rebalance: groupSetting("EVENT_REBALANCE", oneOf("cordon", "drain", "nothing"), "cordon"),
  /**
   * How long a node stays cordoned after such a recommendation; then it is opened again if it is ready and its instance in
   * service, unless another notice has come. A node that is drained stays so for its `DRAIN_TIMEOUT_SECONDS` at least. @default 1 hour
   */
  cordonFor: groupSetting("EVENT_CORDON_SECONDS", secondsFrom(60, 39_600), 3600),
  /**
   * Whether a node is removed that its instance has left behind: one that EC2 has terminated, or also one that it has
   * stopped, unless it can hibernate, is in Standby or detached, or has its root volume replaced. With `never` the function gets no right to remove nodes, so no tag
   * can ask for it. @default "stopped"
   */
  removeNode: groupSetting("EVENT_REMOVE_NODE", oneOf("stopped", "terminated", "never"), "stopped"),
  /** How long such a node is not ready before it is removed: the cloud controller has so much time to do it. @default 5 minutes */
  lingers: groupSetting("EVENT_NODE_LINGERS_SECONDS", secondsFrom(60, 2700), 300),
  /**
   * Whether such a node gets the taint `node.kubernetes.io/out-of-service`, so that pods with volumes move at once instead
   * of after six minutes. A node that `EVENT_REMOVE_NODE` leaves alone, also by a tag, gets no taint. @default "never"
   */
  outOfService: clusterSetting("EVENT_OUT_OF_SERVICE", oneOf("never", "taint"), "never"),
};

/** Registration of the roles of launched instances in the cluster. */
export const accessSettings = {
  /**
   * How the roles of nodes are registered; `auto` goes by the authentication mode of the cluster. With `at deployment` the
   * stack makes an access entry for each of the roles that it names, and the function registers none. @default "auto"
   */
  access: clusterSetting(
    "NODE_ACCESS",
    oneOf("auto", "aws-auth", "access-entry", "at deployment"),
    "auto",
  ),
};

/** Reports besides the log. */
export const reportSettings = {
  /**
   * Whether the function records Events of Kubernetes at nodes, pods and their controllers; `off` gives it no right to do so.
   * docs/events.md lists them. @default "on"
   */
  kubernetesEvents: clusterSetting("EVENTS", oneOf("on", "off"), "on"),
  /** Whether CloudWatch makes metrics of what each pass has measured; no alarm needs them; docs/metrics.md lists them, and says what they cost. @default "on" */
  metrics: clusterSetting("METRICS", oneOf("on", "off"), "on"),
};

/** All settings of the node function, under their names in constructs and cluster files, such as `drain.timeout`. */
export const nodeSettings = {
  drain: drainSettings,
  hooks: hookSettings,
  launch: { ...launchSettings, ...accessSettings },
  events: eventSettings,
  reports: reportSettings,
};
