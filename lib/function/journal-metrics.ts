import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { heartbeatAgeMetric, metricsNamespace } from "../../lambda/base/contract.ts";

/** A log that has a journal, and the cluster that the journal is about. */
export interface JournalMetricsProps {
  readonly logGroup: ILogGroup;
  readonly clusterName: string;
}

/** Metric filters on the journal. They have no default value, because a metric only costs something in an hour with data. */
export class JournalMetrics extends Construct {
  /** Counts the faults, including those that a retry may mend. */
  readonly faults: MetricFilter;
  /** Counts drains whose deadline passed before the node was empty, whether the instance was released or kept. */
  readonly expiredDrains: MetricFilter;

  /** Counts the launches whose node was not ready in time, or whose role could not be registered. */
  readonly failedLaunches: MetricFilter;

  /** The longest time that a hook went without a heartbeat, by each pass that sent one. */
  readonly heartbeatAge: MetricFilter;

  constructor(scope: Construct, id: string, { logGroup, clusterName }: JournalMetricsProps) {
    super(scope, id);
    const counted = (metricName: string, pattern: string) =>
      journalMetric(this, metricName, { logGroup, clusterName, pattern });
    this.faults = counted("Faults", '{ $.kind = "fault" }');
    this.expiredDrains = counted(
      "ExpiredDrains",
      '{ ($.kind = "notice-done") && (($.outcome.kind = "expired") || ($.outcome.kind = "kept")) }',
    );
    this.failedLaunches = counted(
      "FailedLaunches",
      '{ ($.kind = "notice-done") && (($.outcome.kind = "not-joined") || ($.outcome.kind = "not-registered")) }',
    );
    this.heartbeatAge = journalMetric(this, heartbeatAgeMetric, {
      logGroup,
      clusterName,
      pattern: `{ $.${heartbeatAgeMetric} = * }`,
      value: `$.${heartbeatAgeMetric}`,
    });
  }
}

/** The lines of a journal that make a metric. */
interface JournalMetricProps extends JournalMetricsProps {
  readonly pattern: string;
  /** The field that has the value. @default each line counts as one */
  readonly value?: string;
}

/** Makes a metric of the lines of a journal that match a pattern. */
export const journalMetric = (
  scope: Construct,
  metricName: string,
  { logGroup, clusterName, pattern, value = "1" }: JournalMetricProps,
): MetricFilter =>
  new MetricFilter(scope, metricName, {
    logGroup,
    filterPattern: FilterPattern.literal(pattern),
    metricNamespace: metricsNamespace + clusterName,
    metricName,
    metricValue: value,
  });
