/**
 * Where the function works: the keys of its environment that have no default. All its other keys are in
 * lambda/config/settings.ts. The comment above a key is what README.md says about it.
 */
export const environment = {
  /** The cluster whose nodes are drained. */
  clusterName: "CLUSTER_NAME",
  /** The only groups whose instances may be touched. */
  managedGroups: "MANAGED_GROUPS",
  /** Where notices come from. */
  queueUrl: "QUEUE_URL",
  /** Where notices go that can never be worked on. */
  deadLetterQueueUrl: "DEAD_LETTER_QUEUE_URL",
} as const;

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
