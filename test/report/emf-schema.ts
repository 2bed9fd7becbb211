import * as z from "zod";

const name = z.string().min(1).max(1024);
const units = ["Seconds", "Milliseconds", "Bytes", "Percent", "Count", "None"];

/** The metadata of a document of the embedded metric format, with the limits of its specification. */
const schema = z.looseObject({
  _aws: z.strictObject({
    Timestamp: z.int().positive(),
    CloudWatchMetrics: z.array(
      z.strictObject({
        Namespace: z.string().min(1).max(1024),
        Dimensions: z.array(z.array(z.string().min(1).max(250)).max(30)).min(1),
        Metrics: z.array(z.strictObject({ Name: name, Unit: z.enum(units) })).max(100),
      }),
    ),
  }),
});

/**
 * What is wrong with a document of CloudWatch's embedded metric format; nothing if it is valid.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function emfDocument(document: unknown): readonly string[] {
  const read = schema.safeParse(document);
  if (!read.success) return [read.error.message];
  const { _aws, ...root } = read.data;
  const wrong = ({ Dimensions, Metrics }: (typeof _aws.CloudWatchMetrics)[number]) => [
    ...Dimensions.flat()
      .filter((key) => typeof root[key] !== "string")
      .map((key) => `${key} is no text`),
    ...Metrics.filter(({ Name }) => typeof root[Name] !== "number").map(
      ({ Name }) => `${Name} is no number`,
    ),
  ];
  return _aws.CloudWatchMetrics.flatMap(wrong);
}
