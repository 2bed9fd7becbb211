import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { legibleLines } from "../../lambda/base/legible.ts";
import { stackName } from "../../lib/stack-name.ts";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { addAwsOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { failureOf } from "../failure-of.ts";
import type { Io } from "../io.ts";
import { planCommand } from "../plan/plan-command.ts";
import { discovered, summary } from "./discover-command.ts";
import { type DiscoveredFile, tellRemarks, writeFile } from "./given-file.ts";

const help = `
The first of six steps, and it says the other five. It writes clusters/NAME.json as \`discover\` does, with "mode": "dry-run", in which nothing is marked
or evicted, and says what \`plan\` says: which pods a drain would not get past. It changes nothing in AWS or in the cluster,
and leaves a file alone that is there.

With --template you need no CDK: it writes NAME.parameters.json, the parameters of the template for any cluster
(docs/terraform.md), and NAME.tf, the same for Terraform, and says the link that opens the template filled in.

Your rights: those of \`discover\`, and in the cluster those of \`plan\`. Without these the file is written all the same.

Examples:
  npx eks-node-lifecycle init demo --region eu-west-1
  npx eks-node-lifecycle init demo --kubeconfig ~/.kube/config
  npx eks-node-lifecycle init demo --template https://platform-eu-west-1.s3.eu-west-1.amazonaws.com/eks-node-lifecycle.template.json

Exit codes:
  0  the file is written
  1  something broke, or the file is there already; one line says why
  2  wrong usage`;

type InitOptions = Pick<ConnectionOptions, "context" | "kubeconfig" | "profile" | "region">;

/** The command that starts with a cluster: it writes its file in dry run, forecasts a drain, and lists the next steps. */
export function initCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("init")
    .summary("begin: write the file of a cluster in dry run, and say what a drain would meet")
    .description("Writes the file of a cluster in dry run, and says what to do from there.")
    .argument("<cluster>", "the name of the EKS cluster")
    .option("--template <url>", "fill in the template in this bucket, to deploy it without CDK")
    .option("--kubeconfig <file>", "reach the cluster by this file, and not by an EKS token")
    .option("--context <name>", "the context in the kubeconfig");
  return addAwsOptions(command)
    .addHelpText("after", help)
    .action(async (name: string, { template, ...given }: InitOptions & { template?: string }) => {
      const next = await writeFirst(name, template, given, io);
      await tellPlan(name, given, io);
      io.stdout.writeLine("", "Next:", ...next, ...lastSteps(name));
      ended(exitCodes.done);
    });
}

/** Writes the files for the deployment, and returns the next steps. */
async function writeFirst(name: string, template: string | undefined, given: InitOptions, io: Io) {
  const paths =
    template === undefined ? [`clusters/${name}.json`] : [`${name}.parameters.json`, `${name}.tf`];
  const there = paths.find((path) => existsSync(join(io.cwd, path)));
  if (there !== undefined)
    throw new CommandFailure(`${there} is there already`, wayOf(name, there));
  const { file, remarks } = await discovered(name, awsAt(given));
  const steps =
    template === undefined ? writeForCdk(file, io) : writeForOthers(withoutCdk(file, template), io);
  // The last line is the next step of `discover`, which does not apply here.
  io.stdout.writeLine(`${paths[0]} written, in dry run`, ...summary(file).slice(0, -1));
  tellRemarks(remarks, io);
  return steps;
}

const wayOf = (name: string, path: string): string =>
  path.startsWith("clusters/")
    ? `\`discover ${name}\` brings it up to date, and \`plan ${name}\` says what a drain would meet`
    : "deploy it, or move it away and repeat this";

function writeForCdk(file: DiscoveredFile["file"], io: Io): readonly string[] {
  const { name } = file.cluster;
  writeFile(`clusters/${name}.json`, { ...file, drain: { mode: "dry-run" } }, io);
  return [
    `  2  look at groups, subnetIds and nodeRoleArns in clusters/${name}.json`,
    `  3  npx cdk deploy -c cluster=${name}`,
  ];
}

function writeForOthers(filled: WithoutCdk, io: Io): readonly string[] {
  const { name, stack, region, url } = filled;
  const path = `${name}.parameters.json`;
  writeFile(path, parametersFile(filled), io);
  writeFileSync(join(io.cwd, `${name}.tf`), legibleLines(hclOf(filled)));
  return [
    `  2  look at GroupNames, SubnetIds and NodeRoleArns in ${path}`,
    `  3  aws cloudformation create-stack --region ${region} --stack-name ${stack} --template-url ${url} --parameters file://${path} --capabilities CAPABILITY_IAM`,
    `     or terraform apply, with ${name}.tf`,
    `     or open ${launchLink(filled)}`,
  ];
}

/** Forecasts the drains, if the cluster can be reached. */
async function tellPlan(name: string, given: InitOptions, io: Io): Promise<void> {
  const words = Object.entries(given).flatMap(([option, value]) => [`--${option}`, value]);
  const plan = planCommand(io, () => undefined);
  io.stdout.writeLine("", "What a drain would meet now:");
  await plan
    .parseAsync(["--cluster", name, ...words], { from: "user" })
    .catch((thrown: unknown) => {
      const failure = failureOf(thrown, [plan]);
      if (failure !== "none")
        io.stderr.writeLine(`not planned: ${failure.message}; ${failure.remedy}`);
    });
}

const lastSteps = (name: string): readonly string[] => [
  `  4  npx eks-node-lifecycle doctor ${name}`,
  `  5  end an instance, and read what a drain would have done: npx eks-node-lifecycle logs INSTANCE --cluster ${name}`,
  `  6  take dry-run out, deploy again, and try it with an instance: npx eks-node-lifecycle verify ${name} --group GROUP`,
];

/** The deployment of the template for any cluster, without CDK. */
interface WithoutCdk {
  readonly name: string;
  readonly stack: string;
  readonly region: string;
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The parameters of the template, in dry run. */
export function withoutCdk(file: DiscoveredFile["file"], url: string): WithoutCdk {
  const { cluster, groups, nodeRoleArns = [], launchTemplateIds = [] } = file;
  const { name, region = "", authenticationMode, vpcId = "", subnetIds, securityGroupId } = cluster;
  const lists = { GroupNames: groups, LaunchTemplateIds: launchTemplateIds };
  const given = Object.entries(lists).filter(([, all]) => all.length > 0);
  return {
    name,
    stack: stackName(name),
    region,
    url,
    parameters: {
      ClusterName: name,
      AuthenticationMode: authenticationMode,
      VpcId: vpcId,
      SubnetIds: subnetIds.join(","),
      ClusterSecurityGroupId: securityGroupId ?? "",
      NodeRoleArns: nodeRoleArns.join(","),
      ...Object.fromEntries(given.map(([key, all]) => [key, all.join(",")])),
      DrainMode: "dry-run",
      CodeBucketPrefix: bucketPrefix(url, region),
    },
  };
}

// https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
const bucketForms = [/^https:\/\/([^/]+)\.s3[.-][^/]+\//, /^https:\/\/s3[.-][^/]+\/([^/]+)\//];

/** The prefix of the template's bucket, which also has the code. The name of the bucket ends with its Region. */
function bucketPrefix(url: string, region: string): string {
  const bucket = bucketForms.flatMap((form) => form.exec(url)?.[1] ?? [])[0];
  if (bucket?.endsWith(`-${region}`)) return bucket.slice(0, -`-${region}`.length);
  throw new CommandFailure(
    bucket === undefined
      ? `${url} is not the URL of a template in a bucket`
      : `bucket ${bucket} is not one for ${region}`,
    `give the URL in your bucket for ${region}, such as https://platform-${region}.s3.${region}.amazonaws.com/eks-node-lifecycle.template.json`,
  );
}

/** The parameters as the AWS CLI reads them, for stacks and stack sets. */
const parametersFile = ({ parameters }: WithoutCdk): object =>
  Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({
    ParameterKey,
    ParameterValue,
  }));

/** The same as a Terraform resource. */
export function hclOf({ stack, url, parameters }: WithoutCdk): string {
  const width = Math.max(...Object.keys(parameters).map(({ length }) => length));
  return [
    'resource "aws_cloudformation_stack" "node_lifecycle" {',
    `  name         = ${hclText(stack)}`,
    `  template_url = ${hclText(url)}`,
    '  capabilities = ["CAPABILITY_IAM"]',
    "  parameters = {",
    ...Object.entries(parameters).map(
      ([key, value]) => `    ${key.padEnd(width)} = ${hclText(value)}`,
    ),
    "  }",
    "}",
    "",
  ].join("\n");
}

/** A Terraform string without interpolation. */
const hclText = (value: string): string => JSON.stringify(value).replace(/[$%](?=\{)/g, "$&$&");

/**
 * The link to the CloudFormation console with all parameters filled in.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cfn-console-create-stacks-quick-create-links.html
 */
function launchLink({ stack, region, url, parameters }: WithoutCdk): string {
  const query = [
    ["templateURL", url],
    ["stackName", stack],
    ...Object.entries(parameters).map(([key, value]) => [`param_${key}`, value]),
  ].map(([key, value = ""]) => `${key}=${encodeURIComponent(value)}`);
  return `https://${region}.console.aws.amazon.com/cloudformation/home?region=${region}#/stacks/create/review?${query.join("&")}`;
}
