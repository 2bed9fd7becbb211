import { Command } from "commander";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { addAwsOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { discovered, summary } from "../discover/discover-command.ts";
import { tellRemarks, tryGivenFile, writeFile } from "../discover/given-file.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { failureOf } from "../failure-of.ts";
import type { Io } from "../io.ts";
import { planCommand } from "../plan/plan-command.ts";

const help = `
The first of six steps. It writes clusters/NAME.json as \`discover\` does, with "mode": "dry-run", in which nothing is marked
or evicted, and says what \`plan\` says: which pods a drain would not get past. It changes nothing in AWS or in the cluster,
and leaves a file alone that is there.

Your rights: those of \`discover\`, and in the cluster those of \`plan\`. Without these the file is written all the same.

Examples:
  npx eks-node-lifecycle init demo --region eu-west-1
  npx eks-node-lifecycle init demo --kubeconfig ~/.kube/config

Exit codes:
  0  the file is written
  1  something broke, or the file is there already; one line says why
  2  wrong usage`;

type Given = Pick<ConnectionOptions, "context" | "kubeconfig" | "profile" | "region">;

/** Makes the command with which a cluster begins: its file in dry run, what a drain would meet, and the steps from there. */
export function initCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("init")
    .summary("begin: write the file of a cluster in dry run, and say what a drain would meet")
    .description("Writes the file of a cluster in dry run, and says what to do from there.")
    .argument("<cluster>", "the name of the EKS cluster")
    .option("--kubeconfig <file>", "reach the cluster by this file, and not by an EKS token")
    .option("--context <name>", "the context in the kubeconfig");
  return addAwsOptions(command)
    .addHelpText("after", help)
    .action(async (name: string, given: Given) => {
      await writeFirst(name, given, io);
      await tellPlan(name, given, io);
      io.stdout.writeLine(...nextSteps(name));
      ended(exitCodes.done);
    });
}

async function writeFirst(name: string, given: Given, io: Io): Promise<void> {
  const path = `clusters/${name}.json`;
  if (tryGivenFile(path, io) !== undefined)
    throw new CommandFailure(
      `${path} is there already`,
      `\`discover ${name}\` brings it up to date, and \`plan ${name}\` says what a drain would meet`,
    );
  const { file, remarks } = await discovered(name, awsAt(given));
  writeFile(path, { ...file, drain: { mode: "dry-run" } }, io);
  // The last line is the next step of `discover`.
  io.stdout.writeLine(`${path} written, in dry run`, ...summary(file).slice(0, -1));
  tellRemarks(remarks, io);
}

/** Without a way into the cluster there is a file all the same. */
async function tellPlan(name: string, given: Given, io: Io): Promise<void> {
  const words = Object.entries(given).flatMap(([option, value]) => [`--${option}`, value]);
  const plan = planCommand(io, () => undefined);
  io.stdout.writeLine("", "What a drain would meet now:");
  await plan.parseAsync([name, ...words], { from: "user" }).catch((thrown: unknown) => {
    const failure = failureOf(thrown, [plan]);
    if (failure !== "none")
      io.stderr.writeLine(`not planned: ${failure.message}; ${failure.remedy}`);
  });
}

const nextSteps = (name: string): readonly string[] => [
  "",
  "Next:",
  `  2  look at groups and subnetIds in clusters/${name}.json`,
  `  3  npx cdk deploy -c cluster=${name}`,
  `  4  npx eks-node-lifecycle doctor ${name}`,
  `  5  end an instance, and read what a drain would have done: npx eks-node-lifecycle logs INSTANCE --cluster ${name}`,
  '  6  take "mode" out of the file, and deploy again',
];
