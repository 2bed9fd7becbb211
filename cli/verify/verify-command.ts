import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { Command, InvalidArgumentError, Option } from "commander";
import { Ec2Machines } from "../../lambda/aws/ec2-instances.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { groupName } from "../../lambda/base/ids.ts";
import { type Duration, minutes, tryDurationOf } from "../../lambda/base/time.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { type AwsAccess, awsAt, regionOf } from "../connect/aws-access.ts";
import { atCluster, type ClusterAccess } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { shellWord } from "../shell-word.ts";
import { writeLines } from "../terminal/lines.ts";
import { writePage } from "../timeline/write-page.ts";
import { runTrial } from "./course.ts";
import { Interruptions } from "./interruptions.ts";
import { namespace, type Request, throughService } from "./probe.ts";
import { fitGroup } from "./refusals.ts";
import { removeTraces, type TraceSite } from "./traces.ts";
import { verdictLines, verdictOf, verdictPage } from "./verify-report.ts";
import { Watcher } from "./watcher.ts";

const help = `
It raises the group by one, waits for the node, runs a small workload on it, has Auto Scaling terminate that instance, and
watches all this by the APIs of AWS and Kubernetes alone. It terminates no instance but the one it has launched.
It creates that instance, for 10 to 20 minutes at its price; the namespace ${namespace} with two small pods,
a budget and a Service; and a tag of the group. In the end it removes all of them. Without --yes it changes nothing.
With --spot the AWS Fault Injection Service interrupts the instance as EC2 interrupts a Spot Instance, and the command also
terminates the one that the group launches in its place. docs/verify.md explains each line, its limits, and your rights.

Examples:
  npx eks-node-lifecycle verify demo --group workers --yes --storage-class gp3 --html verify.html
  npx eks-node-lifecycle verify demo --group spot --yes --spot --fis-role arn:aws:iam::123456789012:role/fis
  npx eks-node-lifecycle verify demo --group workers --clean-up

Exit codes:
  0  every promise was kept, and nothing is left; or all is removed
  1  something broke, or the check cannot begin; one line says why
  2  wrong usage
  3  a promise was broken or not seen, something is left, the command was stopped, or --yes was not given`;

interface VerifyOptions extends ConnectionOptions {
  readonly group: string;
  readonly yes?: true;
  readonly cleanUp?: true;
  readonly storageClass?: string;
  readonly spot?: true;
  readonly fisRole?: string;
  readonly image: string;
  readonly patience: Duration;
  readonly html?: string;
}

function durationOf(text: string): Duration {
  const found = tryDurationOf(text);
  if (found !== undefined && found > 0) return found;
  throw new InvalidArgumentError("Expected a time such as 20m.");
}

/** The command that launches, probes and ends one instance of a group, and judges what it sees. */
export function verifyCommand(
  io: Io,
  ended: (code: ExitCode) => void,
  request: Request = throughService,
): Command {
  const command = addTrialOptions(
    new Command("verify")
      .summary("launch an instance of a group, terminate it, and check each promise from outside")
      .description(
        "Proves a deployment in your own account with one instance that it launches and terminates.",
      ),
  );
  addConnectionOptions(command).addHelpText("after", help);
  return command.action(async (cluster: string, given: VerifyOptions) => {
    const work = async ({ client, clock }: ClusterAccess): Promise<ExitCode> => {
      const aws = awsAt(given);
      const groups = new FullAutoScalingGroups(new AutoScalingClient(aws));
      const interruptions = interruptionsBy(given, aws, command);
      const machines = new Ec2Machines(new EC2Client(aws));
      const place = {
        client,
        clock,
        groups,
        machines,
        interruptions,
        group: groupName(given.group),
      };
      const site = { ...place, before: "unknown", patience: given.patience } as const;
      const asked = { cluster, given, site, io };
      if (given.cleanUp === true) return cleanedUp(asked);
      const group = await fitGroup(site, await deploymentAt(cluster, aws, given), aws);
      if (given.yes === true) return tried(group, asked, request);
      const region = await regionOf(new AutoScalingClient(aws));
      tell([consentFor(group, `of cluster ${cluster} in ${region}`, given)], given, io);
      return exitCodes.notDone;
    };
    ended(await atCluster(cluster, given, work));
  });
}

const addTrialOptions = (command: Command): Command =>
  command
    .argument("<cluster>", "the name of the EKS cluster")
    .requiredOption("--group <group>", "the Auto Scaling group that gets the instance")
    .option("--yes", "confirm what it creates, terminates and costs")
    .addOption(
      new Option("--clean-up", "only remove what a trial has left that was killed").conflicts(
        "yes",
      ),
    )
    .option("--storage-class <name>", "also try a volume of this class")
    .option("--spot", "interrupt the instance as a Spot Instance is, by AWS' fault injection")
    .option("--fis-role <arn>", "the role that the fault injection service assumes for --spot")
    .option(
      "--image <image>",
      "the image of the probe: busybox, or one that has its sh and httpd",
      "public.ecr.aws/docker/library/busybox:1.37",
    )
    .addOption(
      new Option("--patience <time>", "how long to wait for each of launch, probe and end")
        .argParser(durationOf)
        .default(minutes(20), "20m"),
    )
    .option("--html <file>", "write the results into a file that a browser shows");

interface VerifyRun {
  readonly cluster: string;
  readonly given: VerifyOptions;
  readonly site: TraceSite;
  readonly io: Io;
}

function interruptionsBy(
  { spot, fisRole = "", cleanUp }: VerifyOptions,
  aws: AwsAccess,
  command: Command,
): TraceSite["interruptions"] {
  if (spot !== true) return "none";
  if (cleanUp === true || /^arn:[^:]+:iam::\d{12}:role\/./.test(fisRole))
    return new Interruptions(aws, fisRole);
  return command.error(
    `error: --spot needs the role that the fault injection service assumes, and ${fisRole === "" ? "none is given" : `${fisRole} is no ARN of a role`}; nothing was changed: give --fis-role arn:aws:iam::ACCOUNT:role/NAME; docs/verify.md has the policy of such a role`,
    { exitCode: exitCodes.usage },
  );
}

async function cleanedUp({ cluster, given, site, io }: VerifyRun): Promise<ExitCode> {
  // If the group cannot be read, nobody can say what is left of a trial.
  await site.groups.withPool(site.group);
  const left = await removeTraces(site);
  tell(
    left.map((one) => `left: ${one}`),
    given,
    io,
  );
  if (left.length > 0) return exitCodes.notDone;
  const text = `${cluster}, group ${given.group}: nothing is left of a trial`;
  if (given.json === true) printJson(io.stdout, { kind: "text", text });
  else io.stdout.writeLine(text);
  return exitCodes.done;
}

/** Writes texts for people, and for a program if one reads the output. */
function tell(texts: readonly string[], { json }: VerifyOptions, io: Io): void {
  for (const text of texts) {
    io.stderr.writeLine(text);
    if (json === true) printJson(io.stdout, { kind: "text", text });
  }
}

async function tried(
  group: ScalingGroup,
  { cluster, given, site, io }: VerifyRun,
  request: Request,
): Promise<ExitCode> {
  const { image, storageClass = "", html, spot } = given;
  const { name } = group;
  const watcher = new Watcher(site.client);
  await watcher.start();
  const say = (words: string) => io.stderr.writeLine(words);
  say(
    `if this is killed, \`npx eks-node-lifecycle verify ${cluster} --group ${shellWord(name)} --clean-up${spot ? " --spot" : ""}\` removes what is left`,
  );
  const found = await runTrial(group, {
    ...site,
    watcher,
    wish: { image, storageClass },
    request,
    stopped: io.interrupted,
    say,
    before: new Set(group.instances.map(({ id }) => id)),
  });
  const verdict = verdictOf(found, { cluster, group: name });
  if (given.json === true) printJson(io.stdout, { kind: "verify", ...verdict });
  else writeLines(verdictLines(verdict), io);
  if (html !== undefined) writePage(html, verdictPage(found.trial, verdict), io);
  return verdict.exitCode;
}

function consentFor(
  { name, sizes: { desired } }: ScalingGroup,
  where: string,
  { storageClass, spot, json }: VerifyOptions,
): string {
  const volume =
    storageClass === undefined ? "" : ` and a volume of 1 GiB of class ${storageClass}`;
  const end =
    spot === true
      ? "have FIS interrupt that new instance, and end the one that the group launches in its place. It costs the price of two"
      : "end that new instance. It costs the price of one";
  return `verify would raise group ${name} ${where} from ${desired} to ${desired + 1} instances, make namespace ${namespace} with two small pods${volume}, and ${end} such instance${spot ? "s" : ""} for 10 to 20 minutes. Nothing was changed: give --yes to consent${json ? "" : ", and see --help"}`;
}
