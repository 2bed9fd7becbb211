import { Command, Option } from "commander";
import { clusterAt } from "../connect/cluster-access.ts";
import { addAwsOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { Remedies } from "../remedies.ts";
import { wholeNumber } from "../whole-number.ts";
import { addDrainFlags, drainSettingsOf } from "./drain-flags.ts";
import { runDrain } from "./drain-run.ts";
import { type Asking, atSite, type RequestedDrains, whatOf } from "./drain-site.ts";

/** The options of a drain. Those of its settings are read elsewhere. */
interface DrainCommandOptions extends ConnectionOptions, Asking {
  readonly cluster?: string;
  readonly aws: boolean;
  readonly parallel: number;
}

const help = `
The command drains as the function does: it labels and cordons the node, evicts ordinary pods before critical ones within
their budgets, and waits for volumes and load balancers. Unlike the function, it deletes no pod past a budget, unless --force
says so. Ctrl-C stops it: it evicts no further pod, and the node keeps its mark. Repeat the command to continue.

Examples:
  npx eks-node-lifecycle drain ip-192-168-18-230.eu-west-1.compute.internal --dry-run
  npx eks-node-lifecycle drain ip-192-168-18-230.eu-west-1.compute.internal --deadline 30m
  npx eks-node-lifecycle drain i-07e9ea9eb19a67337 --cluster demo --region eu-west-1
  npx eks-node-lifecycle drain ip-192-168-18-230.eu-west-1.compute.internal --undo

Your rights: those of the function's ClusterRole (lambda/rights/rbac.yaml), which are get, list, watch and patch nodes;
list and watch pods; create pods/eviction; get persistentvolumeclaims and daemonsets; list and watch
poddisruptionbudgets and volumeattachments; with --force at-deadline also delete pods; with --make-room,
and for --undo after it, those of lambda/rights/rbac-making-room.yaml; for --undo where drain.conditions is on, patch
nodes/status. In AWS, if you have credentials: autoscaling:Describe*, ec2:DescribeInstances, elasticloadbalancing:Describe*;
with --cluster also eks:DescribeCluster; with --deregister if-nobody-does also elasticloadbalancing:Deregister*.

Exit codes:
  0  drained; or with --undo, uncordoned; or with --dry-run, nothing would be refused
  1  something broke, or this command must not drain the node; one line says why
  2  wrong usage
  3  not drained by the deadline, or stopped; with --dry-run, something would be refused`;

const remedies: Remedies = {
  "aws.denied": "sign in with a role that may do it (--profile), or leave AWS out with --no-aws",
  "aws.unreachable":
    "see that this computer reaches the APIs of AWS, or leave AWS out with --no-aws",
  "cluster.forbidden": "ask for the rights that `eks-node-lifecycle drain --help` lists",
};

/** The command that drains nodes which no hook holds. */
export function drainCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("drain")
    .summary("drain nodes as the function does, in place of kubectl drain")
    .description(
      "Drains nodes that no hook holds, with the engine of the function and your rights.",
    )
    .argument("<nodes...>", "the names of the nodes, or the ids of their instances")
    .option("--dry-run", "say pod by pod what would happen, and change nothing")
    .addOption(
      new Option(
        "--undo",
        "uncordon marked nodes and remove their marks, and change nothing else",
      ).conflicts("dryRun"),
    )
    .addOption(
      new Option("--parallel <number>", "how many nodes to drain side by side")
        .argParser(wholeNumber(1, 20))
        .default(1),
    );
  addAwsOptions(
    addDrainFlags(command)
      .option("--kubeconfig <file>", "reach the cluster by this file, and not by kubectl's own")
      .option("--context <name>", "the context in the kubeconfig, if it is not the current one"),
  )
    .addOption(
      new Option(
        "--cluster <name>",
        "reach this EKS cluster by a token, and not by a kubeconfig",
      ).conflicts(["kubeconfig", "context"]),
    )
    .option("--json", "write JSON, one object on each line")
    .option("--no-aws", "ask AWS neither about hooks nor about load balancers")
    .addHelpText("after", help);
  return command.action(async (nodes: readonly string[], given: DrainCommandOptions) => {
    const request = requestOf(nodes, given, drainSettingsOf(command));
    const open = () => clusterAt(given.cluster, given);
    const connection = { open, json: given.json === true, io, remedies };
    ended(await atSite(connection, (site) => runDrain(request, site)));
  });
}

const requestOf = (
  nodes: readonly string[],
  given: DrainCommandOptions,
  settings: RequestedDrains["settings"],
): RequestedDrains => ({
  nodes,
  what: whatOf(given),
  settings,
  reason: "requested",
  parallel: given.parallel,
  asksAws: given.aws,
  connection: given,
});
