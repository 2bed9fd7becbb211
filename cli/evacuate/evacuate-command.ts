import { Command, Option } from "commander";
import { awsAt } from "../connect/aws-access.ts";
import { clusterAt } from "../connect/cluster-access.ts";
import { addConnectionOptions, type ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { addDrainFlags, drainSettingsOf } from "../drain/drain-flags.ts";
import { type Asking, atSite, whatOf } from "../drain/drain-site.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { Remedies } from "../remedies.ts";
import { wholeNumber } from "../whole-number.ts";
import { runEvacuation } from "./evacuation.ts";
import type { EvacuationRequest } from "./zone-look.ts";

interface EvacuateOptions extends ConnectionOptions, Asking {
  readonly zone: string;
  readonly keep?: true;
  readonly allowPending?: true;
  readonly atOnce: number;
}

const help = `
The command first checks that the nodes of the other zones have room for the pods. Then it cordons all nodes of the zone whose
groups the deployment manages, so that no pod moves within the zone, and drains them as \`drain NODE\` does: within budgets,
and with a wait for load balancers. It leaves a node alone that something else drains already.

Once all nodes are empty, it has Auto Scaling terminate each instance and replace it in another zone. It refuses to begin while
a group may still launch in the zone: start a zonal shift, take the subnet out of the group, or give --keep, which leaves the
empty nodes cordoned until --undo. Repeat a command that was stopped: it continues where it was.

Examples:
  npx eks-node-lifecycle evacuate demo --zone eu-west-1a --keep --dry-run
  npx eks-node-lifecycle evacuate demo --zone eu-west-1a --keep --at-once 10 --deadline 30m
  npx eks-node-lifecycle evacuate demo --zone eu-west-1a --undo

Your rights: in the cluster those of \`drain\` and of \`plan\`, as their --help lists them. In AWS:
cloudformation:DescribeStacks, lambda:GetFunctionConfiguration, eks:DescribeCluster, autoscaling:Describe*,
ec2:DescribeInstances, elasticloadbalancing:Describe*, with --deregister if-nobody-does also
elasticloadbalancing:Deregister*; without --keep also arc-zonal-shift:ListZonalShifts and
autoscaling:TerminateInstanceInAutoScalingGroup.

Exit codes:
  0  no node has a pod left to move; or with --undo, all are uncordoned; or with --dry-run, nothing would be refused
  1  something broke, or the zone cannot be evacuated; one line says why
  2  wrong usage
  3  a node was not drained by the deadline, something else drains it (even if its instance ends, while it has pods to move),
     or the command was stopped`;

const remedies: Remedies = {
  "cluster.forbidden": "ask for the rights that `eks-node-lifecycle evacuate --help` lists",
};

/** The command that empties the nodes of an Availability Zone. */
export function evacuateCommand(io: Io, ended: (code: ExitCode) => void): Command {
  const command = new Command("evacuate")
    .summary("drain all nodes of an Availability Zone, or uncordon them again")
    .description("Drains all managed nodes of an Availability Zone, so that nothing runs there.")
    .argument("<cluster>", "the name of the EKS cluster")
    .requiredOption("--zone <zone>", "the zone, such as eu-west-1a")
    .option("--keep", "leave the empty nodes cordoned, and terminate no instance")
    .option("--dry-run", "say pod by pod what would happen, and change nothing")
    .addOption(
      new Option(
        "--undo",
        "uncordon the nodes that an evacuation of the zone has cordoned",
      ).conflicts(["dryRun", "keep", "allowPending"]),
    )
    .option("--allow-pending", "continue although some pods would find no node in the other zones")
    .addOption(
      new Option("--at-once <number>", "how many nodes to drain side by side")
        .argParser(wholeNumber(1, 50))
        .default(5),
    );
  addConnectionOptions(addDrainFlags(command)).addHelpText("after", help);
  return command.action(async (cluster: string, given: EvacuateOptions) => {
    const wish = { ...wishOf(given), cluster, settings: drainSettingsOf(command) };
    const open = () => clusterAt(cluster, given);
    const aws = awsAt(given);
    const work = async (site: Parameters<Parameters<typeof atSite>[1]>[0]) =>
      runEvacuation(wish, { ...site, aws, parts: await deploymentAt(cluster, aws, given) });
    ended(await atSite({ open, json: given.json === true, io, remedies }, work));
  });
}

const wishOf = (given: EvacuateOptions): Omit<EvacuationRequest, "cluster" | "settings"> => ({
  zone: given.zone,
  what: whatOf(given),
  end: given.keep ? "keep" : "replace",
  homeless: given.allowPending ? "allowed" : "refused",
  atOnce: given.atOnce,
  connection: given,
});
