import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { type Node, runsOn } from "../../lambda/drain/node.ts";
import { tryNearest } from "../../lib/nearest.ts";
import { CommandFailure } from "../command-failure.ts";
import type { Found } from "../connect/found.ts";
import { drainableAmong } from "./kept-by-others.ts";

/** The nodes that a plan is about. */
export type PlanScope =
  /** These nodes leave at the same time. */
  | { readonly kind: "nodes"; readonly nodes: readonly Node[] }
  /** These nodes leave one after the other. */
  | { readonly kind: "group"; readonly name: string; readonly nodes: readonly Node[] }
  | {
      readonly kind: "cluster";
      readonly name: string;
      readonly nodes: readonly Node[];
      /** The nodes that no deployment drains, for people: how many of each kind. */
      readonly others: readonly string[];
    };

/** The parts that a plan leaves out, for people; empty if there are none. */
export const leftOutWords = (scope: PlanScope): readonly string[] =>
  scope.kind === "cluster" && scope.others.length > 0
    ? [
        `left out, because others drain them: ${scope.others.join(", ")}; name a node or a group to plan it all the same`,
      ]
    : [];

/** The labels that name the group of a node. */
const groupLabels = [
  "eks.amazonaws.com/nodegroup",
  "alpha.eksctl.io/nodegroup-name",
  "karpenter.sh/nodepool",
];

const groupsOf = ({ labels }: Node): readonly string[] =>
  groupLabels.flatMap((key) => labels[key] ?? []);

/** The group that the labels of a node name; empty if they name none. */
export const labelledGroup = (node: Node): string => groupsOf(node)[0] ?? "";

/** The sources of the nodes of a scope. */
interface NodeSources {
  readonly nodes: readonly Node[];
  /** The instances of an Auto Scaling group; `absent` where there is no such group. */
  instancesOf(group: string): Promise<Found<readonly string[] | "absent">>;
}

/** Finds the nodes of a scope: by names or instances, of a group, or without a name all that a deployment may drain. */
export async function scopeOf(
  names: readonly string[],
  cluster: string,
  ground: NodeSources,
): Promise<PlanScope> {
  const { nodes } = ground;
  const [name, ...others] = names;
  if (name === undefined) return { kind: "cluster", name: cluster, ...drainableAmong(nodes) };
  const members = others.length === 0 ? await membersOf(name, ground) : [];
  if (members.length > 0) return { kind: "group", name, nodes: members };
  return { kind: "nodes", nodes: [...new Set(names.flatMap((one) => named(one, nodes)))] };
}

/** The nodes of a group: by their labels, or else by the instances that Auto Scaling has. */
async function membersOf(
  name: string,
  { nodes, instancesOf }: NodeSources,
): Promise<readonly Node[]> {
  const labelled = nodes.filter((node) => groupsOf(node).includes(name));
  if (labelled.length > 0 || allNamed(name, nodes).length > 0) return labelled;
  const asked = await instancesOf(name);
  const nearest = tryNearestName(name, nodes);
  if (asked.kind === "unknown")
    throw new CommandFailure(
      `no node or label is named ${name}, and Auto Scaling does not say whether a group is: ${asked.why}`,
      nearest === undefined ? asked.remedy : `did you mean ${nearest}? Otherwise ${asked.remedy}`,
    );
  if (asked.value === "absent") return [];
  const instances = asked.value.map(instanceId);
  const members = nodes.filter((node) => instances.some((one) => runsOn(node, one)));
  if (members.length > 0) return members;
  throw new CommandFailure(
    `the cluster has no node of group ${name}`,
    "name a group that has nodes in this cluster",
  );
}

/** The nodes that a name or an instance names: several, if a kubelet has registered with the provider ID of another's instance. */
const allNamed = (name: string, nodes: readonly Node[]): readonly Node[] =>
  nodes.filter((node) => node.name === nodeName(name) || runsOn(node, instanceId(name)));

function named(name: string, nodes: readonly Node[]): readonly Node[] {
  const found = allNamed(name, nodes);
  if (found.length === 0) throw unknownName(name, nodes);
  return found;
}

function unknownName(name: string, nodes: readonly Node[]): CommandFailure {
  const nearest = tryNearestName(name, nodes);
  return new CommandFailure(
    `the cluster has no node, instance or group ${name}`,
    nearest === undefined
      ? "name a node, an instance, an Auto Scaling group, or a group by its label, such as eks.amazonaws.com/nodegroup"
      : `did you mean ${nearest}?`,
  );
}

const tryNearestName = (name: string, nodes: readonly Node[]): string | undefined =>
  tryNearest(name, [...new Set(nodes.flatMap((node) => [node.name, ...groupsOf(node)]))]);
