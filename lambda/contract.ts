/** The environment of the function: every key that it reads. */
export const environment = {
  clusterName: "CLUSTER_NAME",
  managedGroups: "MANAGED_GROUPS",
  queueUrl: "QUEUE_URL",
  deadLetterQueueUrl: "DEAD_LETTER_QUEUE_URL",
  drainTimeout: "DRAIN_TIMEOUT_SECONDS",
} as const;

/** The name of the function's product, in user agents and marks. */
export const productName = "eks-node-lifecycle";

/** How long an invocation may take, in seconds: a pass of 50 and the longest answer of the API server after it. */
export const functionTimeoutSeconds = 120;

/** The product's version, in user agents. */
export const productVersion = "0.1.0";
