import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { CommandFailure } from "../command-failure.ts";
import { redriveIn } from "./redrive-policy-schema.ts";

/** The queue of a deployment, and the queue of its dead letters. */
export interface Queues {
  readonly queueArn: string;
  readonly deadLettersArn: string;
  readonly deadLettersUrl: string;
}

/** Learns from the queue of the notices where its dead letters are. */
export async function queuesAt(url: string, sqs: SQSClient): Promise<Queues> {
  const { Attributes: { QueueArn: queueArn = "", RedrivePolicy: policy } = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ["QueueArn", "RedrivePolicy"],
    }),
  );
  if (policy === undefined)
    throw new CommandFailure(
      `the queue ${url} has no dead letters`,
      "give the URL in the stack's output QueueUrl",
    );
  const { deadLetterTargetArn: deadLettersArn } = redriveIn(policy);
  const name = deadLettersArn.split(":").at(-1) ?? "";
  // Both queues are in the same account and Region, so their URLs differ in the name alone.
  return { queueArn, deadLettersArn, deadLettersUrl: new URL(name, url).href };
}
