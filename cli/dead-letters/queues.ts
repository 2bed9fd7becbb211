import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { seconds } from "../../lambda/base/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { pause } from "../pause.ts";
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

/** How far a redrive is. */
export interface Progress {
  /** The status in SQS's words, such as `RUNNING` and `COMPLETED`. */
  readonly status: string;
  readonly moved: number;
  readonly toMove: number;
  /** Why it failed; empty if it has not. */
  readonly reason: string;
}

/** Moves the dead letters into the queue, and tells how far it is until it ends or somebody interrupts. */
export async function* redrive(
  { deadLettersArn, queueArn }: Queues,
  sqs: SQSClient,
  interrupted: AbortSignal,
): AsyncGenerator<Progress> {
  // Of messages that the function or SNS has put there, SQS does not know where they belong.
  const move = { SourceArn: deadLettersArn, DestinationArn: queueArn };
  await sqs.send(new StartMessageMoveTaskCommand(move));
  for (;;) {
    const progress = await progressOf(deadLettersArn, sqs);
    yield progress;
    if (interrupted.aborted || !["RUNNING", "CANCELLING"].includes(progress.status)) return;
    await pause(seconds(1), interrupted); // interrupted, it tells the progress once more
  }
}

/** SQS lists the newest move first, and allows one at a time. */
async function progressOf(source: string, sqs: SQSClient): Promise<Progress> {
  const { Results: [newest = {}] = [] } = await sqs.send(
    new ListMessageMoveTasksCommand({ SourceArn: source }),
  );
  return {
    status: newest.Status ?? "RUNNING",
    moved: newest.ApproximateNumberOfMessagesMoved ?? 0,
    toMove: newest.ApproximateNumberOfMessagesToMove ?? 0,
    reason: newest.FailureReason ?? "",
  };
}
