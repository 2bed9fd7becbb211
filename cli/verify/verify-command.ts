import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { Command, InvalidArgumentError, Option } from "commander";
import { AwsFleets } from "../../lambda/aws/aws-fleets.ts";
import { groupName } from "../../lambda/base/ids.ts";
import { type Duration, minutes, tryDurationOf } from "../../lambda/base/time.ts";
import type { Fleet } from "../../lambda/group/fleet.ts";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { atCluster, type ClusterAccess } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { writeLines } from "../terminal/lines.ts";
import { writePage } from "../timeline/write-page.ts";
import { runTrial, type TrialSite } from "./course.ts";
import { assertFit } from "./fit.ts";
import { namespace } from "./probe.ts";
import { removeTraces, type TraceSite } from "./traces.ts";
import { verdictLines, verdictOf, verdictPage } from "./verify-report.ts";
import { Watcher } from "./watcher.ts";

const image = "public.ecr.aws/docker/library/busybox:1.37";

const help = `
It raises the group by one, waits for the node, puts a small workload of its own on it, has Auto Scaling end that instance,
and watches from outside, by the APIs of AWS and of Kubernetes alone. Then it tells of each promise whether it was kept,
and removes all that it has made. It ends no instance but the one that it has brought. docs/verify.md says what each line
shows, and what it cannot show. Without --yes it says what it would do, and changes nothing.

What it makes: one instance of the group, for 10 to 20 minutes, at that instance's price; the namespace ${namespace}
with two pods of 10m CPU and 16 MiB, a budget and a Service, and with --storage-class a third pod and a volume of 1 GiB;
and a tag of the group. If it is killed, --clean-up removes what is left.

Examples:
  npx eks-node-lifecycle verify demo --group workers
  npx eks-node-lifecycle verify demo --group workers --yes --storage-class gp3 --html verify.html
  npx eks-node-lifecycle verify demo --group workers --clean-up

Your rights: in AWS autoscaling:Describe*, UpdateAutoScalingGroup, TerminateInstanceInAutoScalingGroup, CreateOrUpdateTags
and DeleteTags; cloudformation:DescribeStacks, lambda:GetFunctionConfiguration and eks:DescribeCluster. In the cluster: list
and watch nodes, pods and volumeattachments; get, create and delete namespaces; and in the namespace create deployments,
services, poddisruptionbudgets and persistentvolumeclaims, and get services/proxy.

Exit codes:
  0  every promise was kept, and nothing is left; or all is removed
  1  something broke, or the trial cannot be made; one line says why
  2  wrong usage
  3  a promise was broken or not seen, something is left, the command was stopped, or nobody has consented`;

interface Given extends ConnectionOptions {
  readonly group: string;
  readonly yes?: true;
  readonly cleanUp?: true;
  readonly storageClass?: string;
  readonly image: string;
  readonly patience: Duration;
  readonly html?: string;
}

function durationOf(text: string): Duration {
  const found = tryDurationOf(text);
  if (found !== undefined && found > 0) return found;
  throw new InvalidArgumentError("Expected a time such as 20m.");
}

/** Makes the command that takes one instance of a group through its life, and watches. */
export function verifyCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("verify")
    .summary(
      "launch an instance of a group, end it, and see from outside what is kept of the promises",
    )
    .description(
      "Proves a deployment in your own account with one instance that it launches and ends.",
    )
    .argument("<cluster>", "the name of the EKS cluster")
    .requiredOption("--group <group>", "the Auto Scaling group that gets the instance")
    .option("--yes", "consent to what it makes, ends and costs")
    .addOption(
      new Option("--clean-up", "only remove what a trial has left that was killed").conflicts(
        "yes",
      ),
    )
    .option("--storage-class <name>", "also try a volume of this class")
    .option(
      "--image <image>",
      "the image of the probe: busybox, or one that has its sh and httpd",
      image,
    )
    .addOption(
      new Option("--patience <time>", "how long to wait for each of launch, probe and end")
        .argParser(durationOf)
        .default(minutes(20), "20m"),
    )
    .option("--html <file>", "write what was seen into a file that a browser shows");
  addConnectionOptions(command).addHelpText("after", help);
  return command.action(async (cluster: string, given: Given) => {
    const work = (access: ClusterAccess) => verified({ cluster, given, access, io });
    ended(await atCluster(cluster, given, work));
  });
}

interface Asked {
  readonly cluster: string;
  readonly given: Given;
  readonly access: ClusterAccess;
  readonly io: Io;
}

async function verified(asked: Asked): Promise<ExitCode> {
  const { cluster, given, access, io } = asked;
  const aws = awsAt(given);
  const fleets = new AwsFleets(new AutoScalingClient(aws));
  const site: TraceSite = { client: access.client, fleets, group: groupName(given.group) };
  if (given.cleanUp === true) return cleanedUp(asked, site);
  const fleet = await fleets.fleet(site.group);
  assertThere(fleet, given.group);
  await assertFit(fleet, site, { parts: await deploymentAt(cluster, aws, given), aws });
  if (given.yes === true) return tried(fleet, asked, site);
  io.stderr.writeLine(consentFor(fleet, given));
  return exitCodes.notDone;
}

async function cleanedUp({ cluster, given, io }: Asked, site: TraceSite): Promise<ExitCode> {
  const left = await removeTraces(site);
  for (const one of left) io.stderr.writeLine(`left: ${one}`);
  const words = `${cluster}, group ${given.group}: nothing is left of a trial`;
  if (left.length > 0) return exitCodes.notDone;
  if (given.json === true) printJson(io.stdout, { kind: "text", text: words });
  else io.stdout.writeLine(words);
  return exitCodes.done;
}

async function tried(
  fleet: Fleet,
  { cluster, given, io }: Asked,
  place: TraceSite,
): Promise<ExitCode> {
  const watcher = new Watcher(place.client);
  const say = (words: string) => io.stderr.writeLine(words);
  const site: TrialSite = { ...place, watcher, stopped: io.interrupted, say };
  const wish = {
    image: given.image,
    storageClass: given.storageClass ?? "",
    patience: given.patience,
  };
  await watcher.start();
  const again = `if this is killed, \`npx eks-node-lifecycle verify ${cluster} --group ${given.group} --clean-up\` removes what is left`;
  say(again);
  const trial = await runTrial(fleet, wish, site)
    .catch(async (cause: unknown) => {
      for (const one of await removeTraces(place)) say(`left: ${one}`);
      throw cause;
    })
    .finally(() => watcher.close());
  const left = await removeTraces(place);
  const verdict = verdictOf(trial, { cluster, group: given.group, left });
  if (given.json === true) printJson(io.stdout, { kind: "verify", ...verdict });
  else writeLines(verdictLines(verdict), io);
  if (given.html !== undefined) writePage(given.html, verdictPage(trial, verdict), io);
  return verdict.exitCode;
}

function consentFor({ name, sizes }: Fleet, { storageClass, json }: Given): string {
  const { desired } = sizes;
  const volume =
    storageClass === undefined ? "" : ` and a volume of 1 GiB of class ${storageClass}`;
  return `verify would raise group ${name} from ${desired} to ${desired + 1} instances, make namespace ${namespace} with two small pods${volume}, and end that new instance. It costs the price of one such instance for 10 to 20 minutes. Nothing was changed: give --yes to consent${json ? "" : ", and see --help"}`;
}

function assertThere(fleet: Fleet | "absent", group: string): asserts fleet is Fleet {
  if (fleet === "absent")
    throw new CommandFailure(
      `Auto Scaling has no group ${group} in this account and Region`,
      "name a group by its full name, or another Region (--region)",
    );
}
