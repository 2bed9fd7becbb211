/**
 * Where the function works. These keys of its environment have no default; all others are rows of a table of settings.
 * README.md shows the comment above a key.
 */
export const environment = {
  /** The cluster whose nodes are drained. */
  clusterName: "CLUSTER_NAME",
  /** The only groups whose instances may be touched: by name, or by a tag that they have. */
  managedGroups: "MANAGED_GROUPS",
  /** Where notices come from. */
  queueUrl: "QUEUE_URL",
  /** Where notices go that can never be worked on. */
  deadLetterQueueUrl: "DEAD_LETTER_QUEUE_URL",
} as const;

/** Whom a function believes. Without these keys, as for a moment while a stack is updated, it cannot tell, and believes everybody. */
export const trust = {
  /** The ARNs that the hooks of this deployment notify, with blanks in between. */
  hookTargets: "HOOK_TARGETS",
  /** The id of the function's own role, by which the queue names it as the sender of a message. */
  roleId: "ROLE_ID",
} as const;

/** The environment of the webhook function. The URL of the webhook is only in the secret. */
export const webhookEnvironment = {
  /** The ARN of the secret that has the URL. */
  secret: "WEBHOOK_SECRET_ARN",
  /** `slack`, `teams` or `json`. */
  format: "WEBHOOK_FORMAT",
  /** The template of a message, as JSON. */
  template: "WEBHOOK_TEMPLATE",
} as const;

/** The time limit of an invocation of that function, in seconds. */
export const webhookTimeoutSeconds = 300;

/** The kind of the journal's entries that are sent to the webhook. */
export const newsKind = "drain-news";

/** The variable that makes the node function write news: `on`, or absent. */
export const newsVariable = "DRAIN_NEWS";

/** The types of the access entries that the function creates, by platform. It has no right to create others. */
export const nodeEntryTypes = { linux: "EC2_LINUX", windows: "EC2_WINDOWS" } as const;

/** The name of this product, as user agents, marks, tags and rights have it. */
export const productName = "eks-node-lifecycle";

/** The Kubernetes group of the upgrade function; the node function's has the name of the product. */
export const upgradesGroup = `${productName}-upgrades`;

/** The Kubernetes group of the repair function. */
export const repairsGroup = `${productName}-repairs`;

/** The message of the schedule for repairs, apart from its time. */
export const repairMessage = { kind: "repair" } as const;

/** The message of the schedule that has raised replicas put back, apart from its time. */
export const putBackMessage = { kind: "put-back" } as const;

/** The beginning of the metrics' namespace; the name of the cluster follows. */
export const metricsNamespace = "EksNodeLifecycle/";

/** The metric that an alarm watches, and that a metric filter makes of the log, because alarms must not need `reports.metrics`. */
export const heartbeatAgeMetric = "HeartbeatAgeSeconds";

/** The prefix of the annotations with which an object of the rights names the deployments that own it. */
export const ownerAnnotations = `${productName}/owner-`;

/** An output of a deployment. Commands find its parts with it. */
export type OutputName =
  | "FunctionName"
  | "LogGroupName"
  | "MappingId"
  | "Concurrency"
  | "QueueUrl"
  | "QueueArn"
  | "DeadLettersUrl"
  | "DeadLettersArn"
  | "TopicArn"
  | "HooksRoleArn"
  | "Version"
  | `${OtherFunctionName}${OwnOutputName}`;

/** The messages that a mapping gives a function at once. */
export const batchSize = 10;

/** The most batches of a function other than the node function that are in work at the same time: the least that a mapping takes. */
export const otherConcurrency = 2;

/** A function other than the node function, with a queue of its own. */
export type OtherFunctionName = "Repair" | "Upgrade";

/** The outputs for each of these functions. Their names begin with the function's. */
export type OwnOutputName =
  | "QueueUrl"
  | "DeadLettersUrl"
  | "FunctionName"
  | "LogGroupName"
  | "MappingId";

/** The length of one pass over a notice, in seconds; then the notice returns to the queue. */
export const passSeconds = 50;

/**
 * The time limit of an invocation, in seconds: one pass, and the longest wait for the API server.
 */
export const functionTimeoutSeconds = 120;

/**
 * The time limit, in seconds, for granting or revoking the rights in a cluster. A new access entry
 * takes effect late.
 */
export const accessTimeoutSeconds = 420;

/** The version of this product, as user agents have it. */
export const productVersion = "0.1.0";

/** The default names of hooks, as managed node groups have them. */
export const hookNames = { terminate: "Terminate-LC-Hook", launch: "Launch-LC-Hook" } as const;
