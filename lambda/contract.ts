/** The environment of the function: every key that it reads. */
export const environment = {
  clusterName: "CLUSTER_NAME",
  managedGroups: "MANAGED_GROUPS",
  queueUrl: "QUEUE_URL",
  deadLetterQueueUrl: "DEAD_LETTER_QUEUE_URL",
} as const;

/** What the function has to know of the hooks. */
export const hookKeys = { heartbeat: "HOOK_HEARTBEAT_SECONDS" } as const;

/** How long a hook waits for a heartbeat if nothing else is said: 48 hours in all. */
export const defaultHeartbeatSeconds = 1800;

/** The keys of the environment that say how nodes are drained; each has a default. */
export const settingKeys = {
  timeout: "DRAIN_TIMEOUT_SECONDS",
  force: "DRAIN_FORCE",
  tiers: "DRAIN_TIERS",
  tierPercent: "DRAIN_TIER_PERCENT",
  settle: "DRAIN_SETTLE_SECONDS",
  protections: "DRAIN_PROTECTED_BY",
  volumeTimeout: "DRAIN_VOLUME_TIMEOUT_SECONDS",
  concurrency: "DRAIN_CONCURRENCY",
  taint: "DRAIN_TAINT",
  daemonSets: "DRAIN_DAEMONSETS",
  mode: "DRAIN_MODE",
} as const;

/** The keys of the environment that say how instances are launched; each has a default. */
export const launchKeys = {
  timeout: "LAUNCH_TIMEOUT_SECONDS",
  gate: "LAUNCH_GATE",
  startupTaints: "LAUNCH_STARTUP_TAINTS",
  atDeadline: "LAUNCH_RESULT_AT_DEADLINE",
  access: "NODE_ACCESS",
} as const;

/** The settings of launches that a group may have of its own, by tag. */
export const groupLaunchSettings = [launchKeys.timeout, launchKeys.gate, launchKeys.atDeadline];

/** The settings that a group may have of its own, by tag: those that a group, not a cluster, has reasons for. */
export const groupSettings = [
  settingKeys.timeout,
  settingKeys.force,
  settingKeys.tiers,
  settingKeys.volumeTimeout,
  settingKeys.concurrency,
  settingKeys.mode,
];

/** The access entries by which the function lets nodes in, by platform; it may make no other. */
export const nodeEntryTypes = { linux: "EC2_LINUX", windows: "EC2_WINDOWS" } as const;

/** The name of the function's product, in user agents and marks. */
export const productName = "eks-node-lifecycle";

/** How long one pass over a notice works, in seconds, before it hands the notice back. */
export const passSeconds = 50;

/** How long an invocation may take, in seconds: a pass and the longest answer of the API server after it. */
export const functionTimeoutSeconds = 120;

/** How long giving or taking back the rights in a cluster may take, in seconds: a new access entry is not known at once. */
export const accessTimeoutSeconds = 300;

/** The product's version, in user agents. */
export const productVersion = "0.1.0";
