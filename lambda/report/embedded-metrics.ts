import type { Instant } from "../base/time.ts";
import type { Figure } from "../registrations/entry.ts";

/** Data points, each metric once, and one value for each dimension. */
export interface Measured {
  readonly figures: readonly Figure[];
  readonly at: Instant;
  /** The namespace of the metrics. */
  readonly namespace: string;
}

/**
 * What makes metrics of a line of the log: the members of CloudWatch's embedded metric format.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics({ figures, at, namespace }: Measured): object {
  const CloudWatchMetrics = Array.from(
    Map.groupBy(figures, ({ dimension }) => dimension),
    ([dimension, some]) => ({
      Namespace: namespace,
      Dimensions: [dimension === "" ? [] : [dimension]],
      Metrics: some.map(({ name: Name, unit: Unit }) => ({ Name, Unit })),
    }),
  );
  const ofs = figures.filter(({ dimension }) => dimension !== "");
  return {
    _aws: { Timestamp: at, CloudWatchMetrics },
    ...Object.fromEntries(figures.map(({ name, value }) => [name, value])),
    ...Object.fromEntries(ofs.map(({ dimension, of }) => [dimension, of])),
  };
}
