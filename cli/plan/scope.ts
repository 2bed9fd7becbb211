import { instanceId, nodeName } from "../../lambda/domain/ids.ts";
import { type Node, runsOn } from "../../lambda/domain/node/node.ts";
import { tryNearest } from "../../lib/nearest.ts";
import { CommandFailure } from "../command-failure.ts";

/** The nodes that a plan is about. */
export type Scope =
  /** These nodes leave together. */
  | { readonly kind: "nodes"; readonly nodes: readonly Node[] }
  /** These nodes leave one by one, as an upgrade replaces them. */
  | { readonly kind: "group" | "cluster"; readonly name: string; readonly nodes: readonly Node[] };

/** The labels by which a node tells which group it is of. */
const groupLabels = [
  "eks.amazonaws.com/nodegroup",
  "alpha.eksctl.io/nodegroup-name",
  "karpenter.sh/nodepool",
];

const groupsOf = ({ labels }: Node): readonly string[] =>
  groupLabels.flatMap((key) => labels[key] ?? []);

/** Finds the nodes that are meant: some by name or instance, those of one group, or without a name all of them. */
export function scopeOf(names: readonly string[], cluster: string, nodes: readonly Node[]): Scope {
  const [name, ...others] = names;
  if (name === undefined) return { kind: "cluster", name: cluster, nodes };
  const members = nodes.filter((node) => groupsOf(node).includes(name));
  if (others.length === 0 && members.length > 0) return { kind: "group", name, nodes: members };
  return { kind: "nodes", nodes: names.map((one) => named(one, nodes)) };
}

function named(name: string, nodes: readonly Node[]): Node {
  const found = nodes.find(
    (node) => node.name === nodeName(name) || runsOn(node, instanceId(name)),
  );
  if (found !== undefined) return found;
  const known = [...new Set(nodes.flatMap((node) => [node.name, ...groupsOf(node)]))];
  const nearest = tryNearest(name, known);
  throw new CommandFailure(
    `the cluster has no node, instance or group ${name}`,
    nearest === undefined
      ? "name a node, an instance, or a group by its label, such as eks.amazonaws.com/nodegroup"
      : `did you mean ${nearest}?`,
  );
}
