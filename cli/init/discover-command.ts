import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import {
  AutoScalingClient,
  type AutoScalingGroup,
  type DescribeAutoScalingGroupsCommandInput,
  paginateDescribeAutoScalingGroups,
} from "@aws-sdk/client-auto-scaling";
import {
  type AuthenticationMode,
  DescribeClusterCommand,
  EKSClient,
  paginateListAccessEntries,
  paginateListClusters,
} from "@aws-sdk/client-eks";
import { Command, Option } from "commander";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import { type AwsAccess, allOf, awsAt, regionOf } from "../connect/aws-access.ts";
import { addAwsOptions, type DeploymentOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes, worstOf } from "../exit-code.ts";
import { failureOf } from "../failure-of.ts";
import { reachOf } from "../fleet/cluster-files.ts";
import { oneOrAll } from "../fleet/fleet.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { failureBy, type Remedies } from "../remedies.ts";
import {
  adviceOnRoles,
  clusterFileOf,
  isSelfManaged,
  remarksOn,
  remarksOnOthers,
  remarksOnRoles,
} from "./cluster-file-of.ts";
import {
  bringUp,
  broughtUp,
  type DiscoveredFile,
  tellRemarks,
  tryGivenFile,
  writeFile,
} from "./given-file.ts";
import type { GivenFile } from "./given-file-schema.ts";
import { nodeRolesOf } from "./node-roles.ts";

const example = `
The command finds Region and credentials where the AWS CLI finds them, unless you give them; of a cluster that has a
file, the profile and the role in it count. They have to allow eks:DescribeCluster and
autoscaling:DescribeAutoScalingGroups, and to find the roles of nodes also autoscaling:DescribeLaunchConfigurations,
ec2:DescribeLaunchTemplateVersions and iam:GetInstanceProfile.
--all needs eks:ListClusters. With eks:ListAccessEntries too, the command says whether the stack could let these roles in.

Repeat the command after a change in the account. The file then gets what is new of the cluster, and the roles and
launch templates of the groups that it names; all that somebody has written stays. The command shows what would
change and asks at a terminal, and clusters/NAME.json.bak is the file as it was.

Examples:
  npx eks-node-lifecycle discover demo --region eu-west-1
  npx eks-node-lifecycle discover demo --json
  npx eks-node-lifecycle discover --all --profile production

Exit codes:
  0  written, or up to date
  1  something broke, with --all for one cluster or more; one line says why
  2  wrong usage
  3  the file stays as it is, because nobody said yes`;

/** The command that writes a cluster's file from what it finds in the account. */
export const discoverCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addAwsOptions(
    new Command("discover")
      .description("write clusters/NAME.json from what EKS and Auto Scaling say about a cluster")
      .argument("[cluster]", "the name of the EKS cluster"),
  )
    .addOption(
      new Option("--all", "every cluster of the account and Region that has no file yet").conflicts(
        ["force", "json"],
      ),
    )
    .option("--force", "bring a file that is there up to date without asking")
    .option("--json", "write one JSON object with the file's content, and no file")
    .addHelpText("after", example)
    .action(async (name: string | undefined, options: DiscoverOptions, command: Command) => {
      const one = oneOrAll(name, options, command);
      ended(one === undefined ? await discoverAll(options, io) : await discover(one, options, io));
    });

async function discover(name: string, options: DiscoverOptions, io: Io): Promise<ExitCode> {
  const region = await regionOf(new EKSClient(awsAt(options))).catch((cause: unknown) => {
    const its = regionIn(usualPath(name), io);
    if (its === undefined) throw cause;
    return its;
  });
  const path = options.json ? "" : pathOf(name, region, io);
  const given = options.json ? undefined : tryGivenFile(path, io);
  const aws = awsAt({ ...options, ...reachOf(name, { ...options, region }, io), region });
  const { advice, ...account } = await discovered(name, aws, given);
  const found = { ...account, remarks: [...account.remarks, ...advice] };
  if (given !== undefined) return bringUp({ path, ...options, ...broughtUp(given, found) }, io);
  write(path, found, options, io);
  return exitCodes.done;
}

/** Writes a file for each cluster that has none. A cluster that cannot be read does not stop the others. */
async function discoverAll(options: DiscoverOptions, io: Io): Promise<ExitCode> {
  const client = new EKSClient(awsAt(options));
  const region = await regionOf(client);
  const names = await allOf(paginateListClusters({ client }, {}), ({ clusters }) => clusters).catch(
    (cause: unknown) => {
      throw failureBy(awsFault("listing the clusters", cause), toList);
    },
  );
  const codes: ExitCode[] = [];
  if (names.length > 0) beginFleet(io);
  for (const name of names) {
    const path = pathOf(name, region, io);
    if (tryGivenFile(path, io) !== undefined)
      io.stdout.writeLine(`${path} is there; discover ${name} brings it up to date`);
    else codes.push(await discover(name, options, io).catch((cause) => failed(name, cause, io)));
  }
  if (names.length === 0) io.stdout.writeLine(`there is no cluster in ${region}`);
  return worstOf(codes);
}

/**
 * Makes clusters share a dashboard and a key in each Region, if the folder has no files yet. Files that are there stay as
 * they are.
 */
function beginFleet(io: Io): void {
  const folder = join(io.cwd, "clusters");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  if (files.some((file) => !given.includes(file))) return;
  writeFile(defaults, { dashboard: "region", encryptionKey: "region" }, io);
  io.stdout.writeLine(
    `${defaults} written: the clusters of a Region share a dashboard and a key`,
    "  one that was deployed before keeps its own by a file that says so",
    "  next: npx cdk deploy --all",
  );
}

const defaults = "clusters/defaults.json";
const given: readonly string[] = ["cluster.schema.json", "sample.json"];

function failed(name: string, cause: unknown, { stderr }: Io): ExitCode {
  const failure = failureOf(cause, []);
  if (failure !== "none") stderr.writeLine(`${name}: ${failure.message}; ${failure.remedy}`);
  return exitCodes.fault;
}

/** The path of a cluster's file. It includes the Region if the name without it belongs to a cluster of another Region. */
function pathOf(name: string, region: string, io: Io): string {
  const usual = usualPath(name);
  const its = regionIn(usual, io);
  return its === undefined || its === region ? usual : `clusters/${name}.${region}.json`;
}

const usualPath = (name: string): string => `clusters/${name}.json`;

const regionIn = (path: string, io: Io): string | undefined =>
  tryGivenFile(path, io)?.cluster?.region;

const toList: Remedies = { "aws.denied": "allow eks:ListClusters, or name a cluster" };

interface DiscoverOptions extends Pick<DeploymentOptions, "profile" | "region"> {
  readonly all?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

function write(
  path: string,
  { file, remarks }: DiscoveredFile,
  { json }: DiscoverOptions,
  io: Io,
): void {
  if (json) printJson(io.stdout, { kind: "cluster", file, remarks });
  else {
    writeFile(path, file, io);
    const next = `next: npx cdk deploy -c cluster=${basename(path, ".json")}`;
    io.stdout.writeLine(`${path} written`, ...summary(file), next);
  }
  tellRemarks(remarks, io);
}

/** What was found, for people. */
export function summary({
  cluster,
  groups,
  nodeRoleArns,
  launchTemplateIds,
}: DiscoveredFile["file"]): readonly string[] {
  const { name } = cluster;
  const found =
    groups.length === 0
      ? `no group has the tag kubernetes.io/cluster/${name}: name one in "groups"`
      : `groups: ${groups.join(", ")}`;
  return [
    `  ${found}`,
    `  access: ${cluster.authenticationMode}`,
    `  roles of nodes: ${nodeRoleArns?.join(", ") ?? "unknown"}`,
    `  launch templates: ${launchTemplateIds?.join(", ") ?? "none"}`,
    `  subnets: ${cluster.subnetIds.join(", ")}; keep those from which the APIs of AWS can be reached`,
  ];
}

/** Makes a cluster's file from what the account says, with remarks, and advice that only a cluster's file can follow. */
export async function discovered(name: string, aws: AwsAccess, given: GivenFile = {}) {
  const named = given.groups ?? (given.groupTag === undefined ? undefined : []);
  const { cluster, groups } = await asked(name, aws, named).catch((cause: unknown) => {
    throw failureBy(awsFault(`discovering cluster ${name}`, cause), remedies);
  });
  const own = groups.filter(isSelfManaged);
  const isNamed = ({ AutoScalingGroupName: group = "" }: AutoScalingGroup) =>
    named === undefined || named.includes(group);
  const chosen = own.filter(isNamed);
  const roles = await nodeRolesOf(chosen, aws);
  const file = clusterFileOf(cluster, chosen, roles.kind === "known" ? roles.arns : []);
  const { authenticationMode } = file.cluster;
  const entered = await enteredRoles(name, authenticationMode, aws);
  const about = remarksOnRoles(roles, authenticationMode);
  const leftOut = given.groupTag === undefined ? own.filter((group) => !isNamed(group)) : [];
  return {
    file,
    remarks: [...remarksOn(cluster), ...about, ...remarksOnOthers(leftOut)],
    advice: adviceOnRoles(roles, entered),
  };
}

/** The principals that have access entries; `unknown` if the cluster has none, or the user may not list them. */
async function enteredRoles(clusterName: string, mode: AuthenticationMode, aws: AwsAccess) {
  if (mode === "CONFIG_MAP") return "unknown";
  const pages = paginateListAccessEntries({ client: new EKSClient(aws) }, { clusterName });
  return allOf(pages, ({ accessEntries }) => accessEntries).catch((cause: unknown) => {
    const fault = awsFault(`listing the access entries of cluster ${clusterName}`, cause);
    if (fault.code === "aws.denied") return "unknown" as const;
    throw failureBy(fault);
  });
}

const remedies: Remedies = {
  "aws.denied":
    "sign in with a role that may call eks:DescribeCluster and autoscaling:DescribeAutoScalingGroups (aws sso login, AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
  "aws.refused": "name a cluster of this account and Region (--profile, --region)",
};

/** Reads the cluster, the groups with its tag, and the groups that are named. */
async function asked(name: string, aws: AwsAccess, named: readonly string[] = []) {
  const { cluster = {} } = await new EKSClient(aws).send(new DescribeClusterCommand({ name }));
  const client = new AutoScalingClient(aws);
  const described = (wanted: DescribeAutoScalingGroupsCommandInput) =>
    allOf(paginateDescribeAutoScalingGroups({ client }, wanted), (page) => page.AutoScalingGroups);
  const tagged = await described({
    Filters: [{ Name: "tag-key", Values: [`kubernetes.io/cluster/${name}`] }],
  });
  const found = tagged.map(({ AutoScalingGroupName: group }) => group);
  const missing = named.filter((group) => !found.includes(group));
  if (missing.length === 0) return { cluster, groups: tagged };
  const others = await described({ AutoScalingGroupNames: missing, MaxRecords: mostNames });
  return { cluster, groups: [...tagged, ...others] };
}

// The largest page that Auto Scaling returns.
const mostNames = 100;
