import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { Argument, Command, InvalidArgumentError } from "commander";
import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import { type Instant, instant } from "../../lambda/base/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { type AwsAccess, awsAt } from "../connect/aws-access.ts";
import { addDeploymentOptions, type DeploymentOptions } from "../connect/connection-options.ts";
import { type DeploymentParts, deploymentAt } from "../connect/deployment-at.ts";
import { type Found, readFrom } from "../connect/found.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { lastEntries } from "../status/last-entries.ts";
import { heldInstances } from "../status/node-reports.ts";
import { underWay } from "../status/under-way.ts";
import { type HeldInstance, type LostNotice, noticesFor } from "./lost-notice.ts";

const example = `
Auto Scaling sends the notice of a hook once. A notice that was published while the topic, the subscription or the
queue was broken never comes again, and the hook holds its instance until it times out. The command puts the same
notice into the queue of the function, for an instance that a hook of the deployment holds. Sending twice is safe:
a pass asks Auto Scaling whether the instance is held, and of several passes over a node one evicts.

In AWS the command needs what status reads, and sqs:SendMessage on the queue; the construct's grantStatus and
grantSendMessages allow it.

Examples:
  npx eks-node-lifecycle resend i-0123456789abcdef0 --cluster demo
  npx eks-node-lifecycle resend i-0123456789abcdef0 --cluster demo --anyway --json

Exit codes:
  0  sent
  1  something broke; one line says why
  2  wrong usage
  3  not sent: no hook of the deployment holds the instance, or the function works on it already`;

interface ResendOptions extends DeploymentOptions {
  readonly cluster: string;
  readonly anyway?: true;
}

/** The command that sends the lost notice of a held instance again. */
export const resendCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addDeploymentOptions(
    new Command("resend")
      .description("send the notice of a held instance again, if the function never received it")
      .addArgument(
        new Argument("<instances...>", "the ids of the instances, as status shows them").argParser(
          (text: string, before: readonly InstanceId[] = []) => [...before, idText(text)],
        ),
      )
      .requiredOption("--cluster <name>", "the name of the EKS cluster")
      .option("--anyway", "send it also where the log shows that the function works on it"),
  )
    .addHelpText("after", example)
    .action(async (instances: readonly InstanceId[], options: ResendOptions) =>
      ended(await resent(instances, options, io)),
    );

function idText(text: string): InstanceId {
  if (/^i-[\da-f]{8,17}$/.test(text)) return instanceId(text);
  throw new InvalidArgumentError("Give the id of an instance, as i-0123456789abcdef0.");
}

async function resent(
  instances: readonly InstanceId[],
  options: ResendOptions,
  io: Io,
): Promise<ExitCode> {
  const aws = awsAt(options);
  const parts = await deploymentAt(options.cluster, aws, options);
  const now = instant(Date.now());
  const queueUrl = must(parts.queueUrl);
  const held = await heldBy(parts, { name: options.cluster, aws, now });
  const results = instances.map((instance) => noticesFor(instance, held, { now, ...options }));
  const codes: ExitCode[] = [];
  for (const result of results) {
    if (result.kind === "unsent") codes.push(unsent(result, options, io));
    else
      for (const notice of result.notices)
        codes.push(await send(notice, { aws, queueUrl, options, io }));
  }
  return worstOf(codes);
}

/** The held instances, each with the passes that the function has begun with it. */
async function heldBy(
  parts: DeploymentParts,
  { name, aws, now }: { readonly name: string; readonly aws: AwsAccess; readonly now: Instant },
): Promise<readonly HeldInstance[]> {
  const rights = "autoscaling:DescribeAutoScalingGroups and autoscaling:DescribeLifecycleHooks";
  const [found, logged] = await Promise.all([
    readFrom("describing the groups", rights, () => heldInstances(parts, { name, aws })),
    lastEntries(parts.output("LogGroupName"), aws, now),
  ]);
  const { groups, managed, held } = must(found);
  const entries = logged.kind === "known" ? logged.value.entries : [];
  const holds = new Map(held.map((one) => [one.instance, one]));
  return groups.flatMap((its) =>
    its.instances.map(({ id, state }) => {
      const { hooks, launchHooks } = holds.get(id) ?? { hooks: [], launchHooks: [] };
      const { passes } = underWay(instanceId(id), hooks, { entries, now });
      const isManaged = managed.includes(its);
      return {
        instance: instanceId(id),
        group: its.name,
        isManaged,
        state,
        hooks,
        launchHooks,
        passes,
      };
    }),
  );
}

function must<T>(found: Found<T>): T {
  if (found.kind === "known") return found.value;
  throw new CommandFailure(found.why, found.remedy);
}

async function send(
  { instance, hook, body }: LostNotice,
  {
    aws,
    queueUrl,
    options,
    io,
  }: {
    readonly aws: AwsAccess;
    readonly queueUrl: string;
    readonly options: ResendOptions;
    readonly io: Io;
  },
): Promise<ExitCode> {
  const message = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(body) });
  const { MessageId: messageId = "" } = must(
    await readFrom(`sending to ${queueUrl}`, "sqs:SendMessage", () =>
      new SQSClient(aws).send(message),
    ),
  );
  if (options.json) printJson(io.stdout, { kind: "resent", instance, hook, messageId, why: "" });
  else
    io.stdout.writeLine(
      `${instance}: the notice of hook ${hook} is sent again, message ${messageId}; follow it with \`status ${options.cluster}\``,
    );
  return exitCodes.done;
}

function unsent(
  { instance, why }: { readonly instance: InstanceId; readonly why: string },
  { json }: ResendOptions,
  io: Io,
): ExitCode {
  if (json) printJson(io.stdout, { kind: "resent", instance, hook: "", messageId: "", why });
  else io.stderr.writeLine(`${instance}: not sent: ${why}`);
  return exitCodes.notDone;
}
