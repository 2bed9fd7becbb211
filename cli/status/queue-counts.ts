import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, mapped, readFrom } from "../connect/found.ts";

/** How many messages a queue has. */
export interface QueueCounts {
  /** Those that the function may receive now. */
  readonly waiting: number;
  /** Those that the function works on, and those that rest until their next pass. */
  readonly inFlight: number;
}

/** Counts the messages of a queue, about as SQS does. */
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
