import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { Command } from "commander";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { seconds } from "../../lambda/base/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { addDeploymentOptions, type DeploymentOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { pause } from "../pause.ts";
import { failureBy, type Remedies } from "../remedies.ts";
import { type DeadLetter, listed } from "./listed.ts";
import { redriveIn } from "./redrive-policy-schema.ts";

const example = `
The command finds Region and credentials where the AWS CLI finds them. The construct's grantRedrive allows what it
does with notices, and to list the dead letters of upgrades and repairs (--queue-url with the output UpgradeQueueUrl or
RepairQueueUrl); to find the queue by the name of the cluster, it also needs cloudformation:DescribeStacks. Redriving
is safe at any time, because the function ignores a notice that is no longer true.

Examples:
  npx eks-node-lifecycle dead-letters demo
  npx eks-node-lifecycle dead-letters demo --redrive --region eu-west-1
  npx eks-node-lifecycle dead-letters --queue-url https://sqs.eu-west-1.amazonaws.com/123456789012/NAME
  npx eks-node-lifecycle dead-letters --queue-url https://sqs.eu-west-1.amazonaws.com/123456789012/NAME --json

Exit codes:
  0  listed, or all of them moved
  1  something broke; one line says why
  2  wrong usage
  3  with --redrive: not all of them moved`;

/** The command that lists the dead letters of a deployment, and moves them back into its queue. */
export const deadLettersCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addDeploymentOptions(
    new Command("dead-letters")
      .description("list the notices that failed for good, or move them back into the queue")
      .argument("[cluster]", "the name of the EKS cluster; not needed with --queue-url")
      .option("--redrive", "move them back, and report the progress until that is done"),
  )
    .addHelpText("after", example)
    .action(async (cluster: string | undefined, options: DeadLettersOptions, command: Command) => {
      if (cluster === undefined && options.queueUrl === undefined)
        return command.error(whichQueue, { exitCode: exitCodes.usage });
      ended(await worked(await queueUrlOf(cluster ?? "", options), options, io));
    });

const whichQueue = "error: name the cluster, or give the queue of its notices with --queue-url";

interface DeadLettersOptions extends DeploymentOptions {
  readonly redrive?: boolean;
}

async function queueUrlOf(cluster: string, options: DeadLettersOptions): Promise<string> {
  if (options.queueUrl !== undefined) return options.queueUrl;
  const { queueUrl } = await deploymentAt(cluster, awsAt(options), options);
  if (queueUrl.kind === "known") return queueUrl.value;
  throw new CommandFailure(queueUrl.why, `${queueUrl.remedy}, or give --queue-url`);
}

async function worked(url: string, options: DeadLettersOptions, io: Io): Promise<ExitCode> {
  const sqs = new SQSClient(awsAt(options));
  try {
    const queues = await queuesAt(url, sqs);
    const work = { queues, sqs, io, json: options.json ?? false };
    return options.redrive === true ? await moved(work) : await list(work);
  } catch (cause) {
    throw failureOf(url, cause);
  }
}

interface DeadLettersRun {
  readonly queues: DeploymentQueues;
  readonly sqs: SQSClient;
  readonly io: Io;
  readonly json: boolean;
}

async function list({ queues, sqs, io: { stdout }, json }: DeadLettersRun): Promise<ExitCode> {
  let count = 0;
  for await (const one of listed(queues.deadLettersUrl, sqs)) {
    count += 1;
    if (json) printJson(stdout, { kind: "dead-letter", ...one });
    else stdout.writeLine(...linesOf(one));
  }
  if (json) printJson(stdout, { kind: "dead-letters", count });
  else stdout.write(count === 0 ? "no dead letters\n" : `${count} in all; --redrive moves them\n`);
  return exitCodes.done;
}

const linesOf = ({ sentAt, title, messageId, reason }: DeadLetter): readonly string[] => [
  `${sentAt} ${title}, message ${messageId}`,
  `  ${reason || "no reason is given: it was received too often without a result (docs/runbook.md#dead-letters)"}`,
];

async function moved({ queues, sqs, io, json }: DeadLettersRun): Promise<ExitCode> {
  let last = "";
  for await (const progress of redrive(queues, sqs, io.interrupted)) {
    if (json) printJson(io.stdout, { kind: "redrive", ...progress });
    else io.stdout.writeLine(lineOf(progress));
    if (progress.status === "FAILED") throw failed(progress.reason);
    last = progress.status;
  }
  if (last === "COMPLETED") return exitCodes.done;
  io.stderr.write("not done; where a move still runs, SQS goes on with it\n");
  return exitCodes.notDone;
}

const lineOf = ({ status, moved: count, toMove }: RedriveProgress): string =>
  `${status.toLowerCase()}: about ${count} of ${toMove} moved`;

const failed = (reason: string): Fault =>
  new Fault("aws.refused", `moving the dead letters: SQS gave up: ${reason}`);

const remedies: Remedies = {
  "aws.denied":
    "sign in with a role that the construct's grantRedrive allows to look into the dead letters and to move them",
  "aws.refused": "correct what the answer names; give the URL in the stack's output QueueUrl",
};

function failureOf(url: string, cause: unknown): unknown {
  if (cause instanceof CommandFailure) return cause;
  const fault = cause instanceof Fault ? cause : awsFault(`the dead letters of ${url}`, cause);
  return failureBy(fault, remedies);
}

/** The queue of a deployment, and its dead-letter queue. */
interface DeploymentQueues {
  readonly queueArn: string;
  readonly deadLettersArn: string;
  readonly deadLettersUrl: string;
}

/** Reads from the queue's redrive policy which is its dead-letter queue. */
async function queuesAt(url: string, sqs: SQSClient): Promise<DeploymentQueues> {
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

interface RedriveProgress {
  /** The status in SQS's words, such as `RUNNING` and `COMPLETED`. */
  readonly status: string;
  readonly moved: number;
  readonly toMove: number;
  /** Why it failed; empty otherwise. */
  readonly reason: string;
}

/** Moves the dead letters back into the queue, and yields the progress until it ends or the user interrupts. */
async function* redrive(
  { deadLettersArn, queueArn }: DeploymentQueues,
  sqs: SQSClient,
  interrupted: AbortSignal,
): AsyncGenerator<RedriveProgress> {
  // The destination is named, because SQS does not know the source queue of messages that the function or SNS has sent.
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
async function progressOf(source: string, sqs: SQSClient): Promise<RedriveProgress> {
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
