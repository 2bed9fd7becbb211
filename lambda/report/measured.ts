import { heartbeatAgeMetric } from "../base/contract.ts";
import type { Instant } from "../base/time.ts";
import type { Figure } from "./report-entry.ts";

/** Whether some data points are short enough for one line. */
type FitsOnLine = (some: readonly Figure[]) => boolean;

/**
 * Puts the data points of a pass onto as few log lines as possible. A line can have one value for each dimension, and each
 * metric once for each value; and it has an end, for a line that is cut is no metric.
 */
export function onLines(
  figures: readonly Figure[],
  isShort: FitsOnLine,
): readonly (readonly Figure[])[] {
  const lines: Figure[][] = [];
  for (const figure of figures) {
    const line = lines.find(
      (some) => some.every((other) => fits(figure, other)) && isShort([...some, figure]),
    );
    if (line === undefined) lines.push([figure]);
    else line.push(figure);
  }
  return lines;
}

const fits = (one: Figure, other: Figure): boolean =>
  one.name !== other.name && (one.dimension !== other.dimension || one.of === other.of);

/** The most namespaces with time series of their own, in one process of the function. */
export const mostNamespaces = 20;

/** The data points, and all namespaces that have a time series now. */
export interface FewNamespaces {
  readonly figures: readonly Figure[];
  readonly known: ReadonlySet<string>;
}

/** Combines the data points of all namespaces after the first twenty. */
export function withFewNamespaces(
  figures: readonly Figure[],
  before: ReadonlySet<string>,
): FewNamespaces {
  const [theirs, others] = parted(figures);
  const known = new Set([...before, ...theirs.map(({ of }) => of)].slice(0, mostNamespaces));
  const renamed = theirs.map((one) => (known.has(one.of) ? one : { ...one, of: "others" }));
  return { figures: [...others, ...summed(renamed)], known };
}

const parted = (figures: readonly Figure[]): readonly [readonly Figure[], readonly Figure[]] => {
  const { theirs = [], others = [] } = Object.groupBy(figures, ({ dimension }) =>
    dimension === "Namespace" ? "theirs" : "others",
  );
  return [theirs, others];
};

const summed = (figures: readonly Figure[]): readonly Figure[] =>
  [...Map.groupBy(figures, ({ name, of }) => `${name} ${of}`).values()].flatMap((group) =>
    group.slice(0, 1).map((one) => ({
      ...one,
      value: group.reduce((sum, { value }) => sum + value, 0),
    })),
  );

/** Whether a metric filter makes the metric of this data point, so that an alarm has it where metrics are off. */
export const isFiltered = ({ name }: Figure): boolean => name === heartbeatAgeMetric;

/**
 * The members of CloudWatch's embedded metric format, which turn a log line into metrics; of a data point for a metric filter,
 * the value alone.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics(
  figures: readonly Figure[],
  at: Instant,
  namespace: string,
): object {
  const embedded = figures.filter((one) => !isFiltered(one));
  const CloudWatchMetrics = Array.from(
    Map.groupBy(embedded, ({ dimension }) => dimension),
    ([dimension, some]) => ({
      Namespace: namespace,
      Dimensions: [dimension === "" ? [] : [dimension]],
      Metrics: some.map(({ name: Name, unit: Unit }) => ({ Name, Unit })),
    }),
  );
  const ofs = figures.filter(({ dimension }) => dimension !== "");
  return {
    ...(embedded.length > 0 && { _aws: { Timestamp: at, CloudWatchMetrics } }),
    ...Object.fromEntries(figures.map(({ name, value }) => [name, value])),
    ...Object.fromEntries(ofs.map(({ dimension, of }) => [dimension, of])),
  };
}
