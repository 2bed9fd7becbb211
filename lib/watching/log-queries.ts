/** A saved query of CloudWatch Logs Insights. It returns the newest line first. */
export interface LogQuery {
  readonly name: string;
  /** The log to query: the function's journal, or the audit log of the cluster's API server. */
  readonly log: "journal" | "audit log";
  readonly filter: string;
  readonly fields: readonly string[];
}

const ofWhat = ["@timestamp", "instance", "group"];

/**
 * The saved queries. What each shows is a field of the journal, or of an audit event.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html
 * @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event
 */
export const logQueries = {
  faults: {
    name: "Faults",
    log: "journal",
    filter: 'kind = "fault"',
    fields: [...ofWhat, "code", "message", "retryable"],
  },
  holders: {
    name: "What holds nodes",
    log: "journal",
    filter: 'kind = "pass-ended"',
    fields: [...ofWhat, "left.0.about", "left.0.why", "wait"],
  },
  endings: {
    name: "How notices ended",
    log: "journal",
    filter: 'kind = "notice-done"',
    fields: [...ofWhat, "notice", "outcome.kind"],
  },
  budgets: {
    name: "Budgets that hold pods",
    log: "journal",
    filter: 'kind = "pods-held"',
    fields: [...ofWhat, "budget", "healthy", "desired", "pods.0"],
  },
  writes: {
    name: "Writes of the function in the cluster",
    log: "audit log",
    filter:
      'userAgent like /^eks-node-lifecycle\\// and verb in ["create", "update", "patch", "delete"] and stage = "ResponseComplete"',
    fields: [
      "@timestamp",
      "verb",
      "objectRef.resource",
      "objectRef.subresource",
      "objectRef.namespace",
      "objectRef.name",
      "responseStatus.code",
    ],
  },
} as const satisfies Readonly<Record<string, LogQuery>>;
