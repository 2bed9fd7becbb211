import { EKSClient } from "@aws-sdk/client-eks";
import { Command, Option } from "commander";
import { type AwsAccess, awsAt, regionOf } from "../connect/aws-access.ts";
import { addAwsOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { reachOf } from "../fleet/cluster-files.ts";
import { oneOrAll } from "../fleet/fleet.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { discovered } from "./discovered.ts";
import { everyCluster } from "./every-cluster.ts";
import {
  deployByCdk,
  filesWithoutCdk,
  type Reach,
  refuseToOverwrite,
  tellWhatFollows,
  writeFirstFile,
  writeParameters,
} from "./first-file.ts";
import {
  bringUp,
  broughtUp,
  pathOf,
  regionOfFile,
  tellRemarks,
  tryGivenFile,
} from "./given-file.ts";

const help = `
The command writes clusters/NAME.json from what EKS and Auto Scaling say, and shows what \`plan\` shows and the steps to a first
real drain. The file has "mode": "dry-run": a deployment with it marks and evicts nothing until you remove the mode, or give a
group the tag. The command changes nothing in AWS or in the cluster.

An existing file stays as it is, unless you give --update. Then it gets what is new in the cluster, and the roles and launch
templates of the groups that it names; what somebody has written stays. At a terminal the command shows the changes and asks
first; clusters/NAME.json.bak keeps the old file. \`discover\` is the same as \`init --update\`.

With --template you need no CDK: it writes NAME.parameters.json, the parameters of the template for any cluster
(docs/other-ways.md), and NAME.tf, the same for Terraform, and prints a link that opens the template with them filled in.

Your rights: eks:DescribeCluster and autoscaling:DescribeAutoScalingGroups; to leave out public subnets
ec2:DescribeRouteTables; to find the roles of nodes autoscaling:DescribeLaunchConfigurations,
ec2:DescribeLaunchTemplateVersions and iam:GetInstanceProfile; to say whether the stack could register them
eks:ListAccessEntries; for --all eks:ListClusters; in the cluster those of \`plan\`. Without the last, the file is written
all the same. Region and credentials are those that the AWS CLI finds, unless you give them; of a cluster that has a file,
the profile and the role in it count.

Examples:
  npx eks-node-lifecycle init demo --region eu-west-1
  npx eks-node-lifecycle init demo --kubeconfig ~/.kube/config
  npx eks-node-lifecycle init demo --update
  npx eks-node-lifecycle init --all --profile production
  npx eks-node-lifecycle init demo --json
  npx eks-node-lifecycle init demo --template https://platform-eu-west-1.s3.eu-west-1.amazonaws.com/eks-node-lifecycle.template.json

Exit codes:
  0  written, or up to date
  1  something broke, with --all for one cluster or more, or the file exists already; one line says why
  2  wrong usage
  3  with --update: the file stays as it is, because the change was not confirmed`;

interface InitOptions extends Reach {
  readonly all?: true;
  readonly force?: true;
  readonly json?: true;
  readonly template?: string;
  readonly update?: true;
}

/** The command that starts with a cluster: it writes its file in dry run, forecasts a drain, and lists the next steps. */
export function initCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("init")
    .alias(oldName)
    .summary("begin here: write the file of a cluster in dry run, and forecast a drain")
    .description("Writes the file of a cluster in dry run, or brings it up to date.")
    .argument("[cluster]", "the name of the EKS cluster");
  return addFileOptions(addAwsOptions(command))
    .option("--kubeconfig <file>", "reach the cluster by this file, and not by an EKS token")
    .option("--context <name>", "the context in the kubeconfig")
    .addHelpText("after", help)
    .action(async (name: string | undefined, options: InitOptions) => {
      const one = oneOrAll(name, options, command);
      if (one === undefined) return ended(await everyCluster(options, io));
      if (options.json) return ended(await tellFile(one, options, io));
      if (options.template !== undefined)
        return ended(await byTemplate(one, options.template, options, io));
      const isOld = command.parent?.args[0] === oldName;
      return ended(await fileFor(one, isOld ? { ...options, update: true } : options, io));
    });
}

const oldName = "discover";

const addFileOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--all", "every cluster of the account and Region that has no file yet").conflicts(
        ["context", "force", "json", "kubeconfig", "template", "update"],
      ),
    )
    .option("--update", "bring an existing file up to date, or write it")
    .addOption(new Option("--force", "the same, without asking").implies({ update: true }))
    .addOption(
      new Option(
        "--template <url>",
        "fill in the template in this bucket, to deploy it without CDK",
      ).conflicts(["json", "update"]),
    )
    .option("--json", "write one JSON object with the file's content, and no file");

/** Writes the file of a cluster, or brings the one that is there up to date. */
async function fileFor(name: string, options: InitOptions, io: Io): Promise<ExitCode> {
  const { update, force } = options;
  const region = await regionFor(name, options, io);
  const path = pathOf(name, region, io);
  if (update === undefined) refuseToOverwrite([path], toUpdate(name), io);
  const given = tryGivenFile(path, io);
  const aws = awsFor(name, { ...options, region }, io);
  const { advice, ...account } = await discovered(name, aws, given);
  const found = { ...account, remarks: [...account.remarks, ...advice] };
  if (given !== undefined)
    return bringUp({ path, ...(force && { force }), ...broughtUp(given, found) }, io);
  writeFirstFile(path, found, io);
  await tellWhatFollows(found.file, deployByCdk(path), options, io);
  return exitCodes.done;
}

const toUpdate = (name: string): string =>
  `\`init ${name} --update\` brings it up to date, and \`plan ${name}\` says what a drain would meet`;

/** Writes the file of a cluster as JSON for programs. */
async function tellFile(name: string, options: InitOptions, io: Io): Promise<ExitCode> {
  const aws = awsFor(name, { ...options, region: await regionFor(name, options, io) }, io);
  const { file, ...found } = await discovered(name, aws);
  const remarks = [...found.remarks, ...found.advice];
  printJson(io.stdout, { kind: "cluster", file, remarks });
  tellRemarks(remarks, io);
  return exitCodes.done;
}

/** Writes the parameters of the template for a cluster. */
async function byTemplate(name: string, template: string, reach: Reach, io: Io): Promise<ExitCode> {
  refuseToOverwrite(filesWithoutCdk(name), "deploy it, or move it away and repeat this", io);
  const found = await discovered(name, awsAt(reach));
  const deploy = writeParameters(found, template, io);
  await tellWhatFollows(found.file, deploy, reach, io);
  return exitCodes.done;
}

type Signing = Pick<Reach, "profile" | "region">;

/** The Region of a cluster, which its file may say. */
const regionFor = (name: string, given: Signing, io: Io): Promise<string> =>
  regionOf(new EKSClient(awsAt(given))).catch((cause: unknown) => {
    const its = regionOfFile(name, io);
    if (its === undefined) throw cause;
    return its;
  });

/** The access to AWS for a cluster, whose file may name a profile and a role. */
const awsFor = (name: string, given: Signing & { readonly region: string }, io: Io): AwsAccess =>
  awsAt({ ...given, ...reachOf(name, given, io), region: given.region });
