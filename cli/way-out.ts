import { CommanderError } from "commander";

const clusters = "`aws eks list-clusters` lists the clusters of an account and Region";

/** The commands that find a value for required arguments and options. */
const ways: Readonly<Record<string, string>> = {
  cluster: clusters,
  "--cluster <name>": clusters,
  nodes: "`kubectl get nodes` lists the nodes of a cluster",
  group: "`aws autoscaling describe-auto-scaling-groups` lists the groups of an account and Region",
  "--group <group>":
    "clusters/NAME.json has the groups of a cluster, and `aws autoscaling describe-auto-scaling-groups` lists all",
  "--zone <zone>":
    "`kubectl get nodes -L topology.kubernetes.io/zone` lists the nodes with their zones",
  instances: "`eks-node-lifecycle status CLUSTER` lists the instances that are held",
  "instance|group|file":
    "`eks-node-lifecycle status CLUSTER` lists the instances that are held and their groups; a file has the lines of a log",
  event: "the folder events/ of the project has some, such as demo-ng-terminate.json",
};

const lacks = ["commander.missingArgument", "commander.missingMandatoryOptionValue"];

/** The hint for a command line that lacks a required value. */
export function tryWayOut(thrown: unknown): string | undefined {
  if (!(thrown instanceof CommanderError) || !lacks.includes(thrown.code)) return undefined;
  const [, what = ""] = /'(.+)'/.exec(thrown.message) ?? [];
  return wayTo(what);
}

/** The command that finds a value for an argument or an option. */
export const wayTo = (what: string): string | undefined => ways[what];
