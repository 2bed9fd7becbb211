import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, mapped, readFrom } from "../connect/found.ts";
import type { ClusterStatus } from "./status-schema.ts";

/** The numbers of notices and dead letters; `null` for each that cannot be read, and for all if none can. */
export function countsOf(
  queue: Found<QueueCounts>,
  dead: Found<QueueCounts>,
): ClusterStatus["queue"] {
  if (queue.kind === "unknown" && dead.kind === "unknown") return null;
  const { waiting, inFlight } = queue.kind === "known" ? queue.value : uncounted;
  return { waiting, inFlight, dead: dead.kind === "known" ? dead.value.waiting : null };
}

const uncounted = { waiting: null, inFlight: null };

/** The numbers of messages in a queue. */
export interface QueueCounts {
  /** Visible messages, which the function may receive now, and delayed ones. */
  readonly waiting: number;
  /** Messages in flight: the function works on them, or their visibility timeout runs until their next pass. */
  readonly inFlight: number;
}

/** Reads the numbers of messages in a queue, which SQS counts approximately. */
export async function queueCounts(
  queueUrl: Found<string>,
  aws: AwsAccess,
): Promise<Found<QueueCounts>> {
  if (queueUrl.kind === "unknown") return queueUrl;
  const { value: QueueUrl } = queueUrl;
  const read = await readFrom(
    `counting the messages of ${QueueUrl}`,
    "sqs:GetQueueAttributes",
    () =>
      new SQSClient(aws).send(
        new GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesDelayed",
            "ApproximateNumberOfMessagesNotVisible",
          ],
        }),
      ),
  );
  return mapped(read, ({ Attributes: counts = {} }) => ({
    waiting:
      Number(counts.ApproximateNumberOfMessages ?? 0) +
      Number(counts.ApproximateNumberOfMessagesDelayed ?? 0),
    inFlight: Number(counts.ApproximateNumberOfMessagesNotVisible ?? 0),
  }));
}
