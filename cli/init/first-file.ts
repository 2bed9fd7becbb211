import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { legibleLines } from "../../lambda/base/legible.ts";
import { CommandFailure } from "../command-failure.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { failureOf } from "../failure-of.ts";
import type { Io } from "../io.ts";
import { planCommand } from "../plan/plan-command.ts";
import { type DiscoveredFile, tellRemarks, writeFile } from "./given-file.ts";
import { lastSteps, type NextStep, stepsByCdk, tellSteps } from "./next-steps.ts";
import {
  hclOf,
  launchLink,
  parametersFile,
  remarksOnUnfit,
  type WithoutCdk,
  withoutCdk,
} from "./without-cdk.ts";

/** The access to the cluster of a first file. */
export type Reach = Pick<ConnectionOptions, "context" | "kubeconfig" | "profile" | "region">;

/** Refuses to write where a file is already. */
export function refuseToOverwrite(paths: readonly string[], remedy: string, { cwd }: Io): void {
  const there = paths.find((path) => existsSync(join(cwd, path)));
  if (there !== undefined) throw new CommandFailure(`${there} is there already`, remedy);
}

/** Writes the first file of a cluster. */
export function writeFirstFile(path: string, { file, remarks }: DiscoveredFile, io: Io): void {
  writeFile(path, file, io);
  io.stdout.writeLine(`${path} written, in dry run`, ...summary(file));
  tellRemarks(remarks, io);
}

/** The files by which others than CDK deploy the template. */
export const filesWithoutCdk = (name: string): readonly string[] => [
  `${name}.parameters.json`,
  `${name}.tf`,
];

/** Writes the parameters of the template, and returns the step that deploys it. */
export function writeParameters(
  { file, remarks }: DiscoveredFile,
  template: string,
  io: Io,
): readonly NextStep[] {
  const filled = withoutCdk(file, template);
  const [parameters = "", hcl = ""] = filesWithoutCdk(filled.name);
  writeFile(parameters, parametersFile(filled), io);
  writeFileSync(join(io.cwd, hcl), legibleLines(hclOf(filled)));
  io.stdout.writeLine(`${parameters} and ${hcl} written, in dry run`, ...summary(file));
  tellRemarks([...remarksOnUnfit(file), ...remarks], io);
  return [{ about: "which evicts nothing yet", commands: deployments(filled, parameters, hcl) }];
}

const deployments = (filled: WithoutCdk, parameters: string, hcl: string): readonly string[] => [
  `aws cloudformation create-stack --region ${filled.region} --stack-name ${filled.stack} --template-url ${filled.url} --parameters file://${parameters} --capabilities CAPABILITY_IAM`,
  `terraform apply, with ${hcl}`,
  `open ${launchLink(filled)}`,
];

/** Says what a drain would meet, and the steps to the first real one. */
export async function tellWhatFollows(
  { cluster: { name }, groups }: DiscoveredFile["file"],
  deploy: readonly NextStep[],
  reach: Reach,
  io: Io,
): Promise<void> {
  await tellPlan(name, reach, io);
  const [only, ...others] = groups;
  const isPlain = others.length === 0 && /^[\w.-]+$/.test(only ?? "");
  const steps = [...deploy, ...lastSteps(name, isPlain ? (only ?? "") : "GROUP", reach)];
  io.stdout.writeLine("", "Next, to a first real drain:", ...tellSteps(steps), ...before(name));
}

/** The steps of the deployment of a cluster's file. */
export const deployByCdk = (path: string): readonly NextStep[] =>
  stepsByCdk(basename(path, ".json"));

const before = (name: string): readonly string[] => [
  `Before a group evicts, \`doctor ${name}\` says whether all is well, and \`logs INSTANCE --cluster ${name}\` what a drain would have done for an instance that has ended.`,
];

/** Forecasts the drains, if the cluster can be reached. */
async function tellPlan(name: string, reach: Reach, io: Io): Promise<void> {
  const { context, kubeconfig, profile, region } = reach;
  const words = Object.entries({ context, kubeconfig, profile, region }).flatMap(
    ([option, value]) => (value === undefined ? [] : [`--${option}`, value]),
  );
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

/** The discovered parts, for people. */
function summary({
  cluster,
  groups,
  nodeRoleArns,
  launchTemplateIds,
}: DiscoveredFile["file"]): readonly string[] {
  const found =
    groups.length === 0
      ? `no group has the tag kubernetes.io/cluster/${cluster.name}: name one in "groups"`
      : `groups: ${groups.join(", ")}`;
  return [
    `  ${found}`,
    `  access: ${cluster.authenticationMode}`,
    `  roles of nodes: ${nodeRoleArns?.join(", ") ?? "unknown"}`,
    `  launch templates: ${launchTemplateIds?.join(", ") ?? "none"}`,
    `  subnets: ${cluster.subnetIds.join(", ")}; keep those from which the APIs of AWS can be reached`,
  ];
}
