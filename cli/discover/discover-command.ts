import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { AutoScalingClient, paginateDescribeAutoScalingGroups } from "@aws-sdk/client-auto-scaling";
import {
  type AuthenticationMode,
  DescribeClusterCommand,
  EKSClient,
  paginateListAccessEntries,
} from "@aws-sdk/client-eks";
import { Command } from "commander";
import { awsFault } from "../../lambda/adapters/aws/aws-fault.ts";
import { legibleLines } from "../../lambda/domain/legible.ts";
import { allOf } from "../connect/all-of.ts";
import { type AwsAccess, awsAt } from "../connect/aws-access.ts";
import { addAwsOptions, type DeploymentOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { failureBy, type Remedies } from "../remedies.ts";
import { clusterFileOf, isSelfManaged, remarksOn, remarksOnRoles } from "./cluster-file-of.ts";
import { nodeRolesOf } from "./node-roles.ts";

const example = `
The command finds Region and credentials where the AWS CLI finds them, unless you give them. They have to
allow eks:DescribeCluster and autoscaling:DescribeAutoScalingGroups, and to find the roles of nodes also
autoscaling:DescribeLaunchConfigurations, ec2:DescribeLaunchTemplateVersions and iam:GetInstanceProfile.
With eks:ListAccessEntries too, the command says whether the stack could let these roles in.

Examples:
  npx eks-node-lifecycle discover demo --region eu-west-1
  npx eks-node-lifecycle discover demo --json
`;

/** The command that writes a cluster's file from what it finds in the account. */
export const discoverCommand = (io: Io, ended: (code: ExitCode) => void): Command =>
  addAwsOptions(
    new Command("discover")
      .description("write clusters/NAME.json from what EKS and Auto Scaling say about a cluster")
      .argument("<cluster>", "the name of the EKS cluster"),
  )
    .option("--force", "replace the file if it is there")
    .option("--json", "write one JSON object with the file's content, and no file")
    .addHelpText("after", example)
    .action(async (name: string, options: DiscoverOptions, command: Command) => {
      const path = join(io.cwd, "clusters", `${name}.json`);
      const told = relative(io.cwd, path);
      if (existsSync(path) && !options.force && !options.json)
        command.error(`${told} is there already; --force replaces it`, {
          exitCode: exitCodes.usage,
        });
      const { file, remarks } = await discovered(name, awsAt(options));
      if (options.json) printJson(io.stdout, { kind: "cluster", file, remarks });
      else {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, legibleLines(`${JSON.stringify(file, null, 2)}\n`));
        io.stdout.writeLine(...summary(told, name, file));
      }
      for (const remark of remarks) io.stderr.writeLine(`note: ${remark}`);
      ended(exitCodes.done);
    });

interface DiscoverOptions extends Pick<DeploymentOptions, "profile" | "region"> {
  readonly force?: boolean;
  readonly json?: boolean;
}

type ClusterFile = ReturnType<typeof clusterFileOf>;

function summary(
  path: string,
  name: string,
  { cluster, groups, nodeRoleArns, launchTemplateIds }: ClusterFile,
): readonly string[] {
  const found =
    groups.length === 0
      ? `no group has the tag kubernetes.io/cluster/${name}: name one in "groups"`
      : `groups: ${groups.join(", ")}`;
  return [
    `${path} written`,
    `  ${found}`,
    `  access: ${cluster.authenticationMode}`,
    `  roles of nodes: ${nodeRoleArns?.join(", ") ?? "unknown"}`,
    `  launch templates: ${launchTemplateIds?.join(", ") ?? "none"}`,
    `  subnets: ${cluster.subnetIds.join(", ")}; keep those from which the APIs of AWS can be reached`,
    `next: npx cdk deploy -c cluster=${name}`,
  ];
}

async function discovered(name: string, aws: AwsAccess) {
  const { cluster, groups } = await asked(name, aws).catch((cause: unknown) => {
    throw failureBy(awsFault(`discovering cluster ${name}`, cause), remedies);
  });
  const own = groups.filter(isSelfManaged);
  const roles = await nodeRolesOf(own, aws);
  const file = clusterFileOf(cluster, own, roles.kind === "known" ? roles.arns : []);
  const { authenticationMode } = file.cluster;
  const entered = await enteredRoles(name, authenticationMode, aws);
  const about = remarksOnRoles(roles, authenticationMode, entered);
  return { file, remarks: [...remarksOn(cluster), ...about] };
}

/** The principals that have access entries; `unknown` where the caller may not ask, and where the cluster has none. */
async function enteredRoles(clusterName: string, mode: AuthenticationMode, aws: AwsAccess) {
  if (mode === "CONFIG_MAP") return "unknown";
  const pages = paginateListAccessEntries({ client: new EKSClient(aws) }, { clusterName });
  return allOf(pages, ({ accessEntries }) => accessEntries).catch(() => "unknown" as const);
}

const remedies: Remedies = {
  "aws.denied":
    "sign in with a role that may call eks:DescribeCluster and autoscaling:DescribeAutoScalingGroups (aws sso login, AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
  "aws.refused": "name a cluster of this account and Region (--profile, --region)",
};

async function asked(name: string, aws: AwsAccess) {
  const { cluster = {} } = await new EKSClient(aws).send(new DescribeClusterCommand({ name }));
  const wanted = { Filters: [{ Name: "tag-key", Values: [`kubernetes.io/cluster/${name}`] }] };
  const pages = paginateDescribeAutoScalingGroups({ client: new AutoScalingClient(aws) }, wanted);
  const groups = await allOf(pages, ({ AutoScalingGroups }) => AutoScalingGroups);
  return { cluster, groups };
}
