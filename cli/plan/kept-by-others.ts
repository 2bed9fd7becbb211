import { counted } from "../../lambda/base/counted.ts";
import type { Node } from "../../lambda/drain/node.ts";

const computeType = "eks.amazonaws.com/compute-type";
const computeTypes: Readonly<Record<string, string>> = {
  fargate: "of Fargate",
  auto: "of EKS Auto Mode",
  hybrid: "of EKS Hybrid Nodes",
};

/** The kind of a node that has no hook of a deployment, in words; empty for a node that may have one. */
function computeOf({ labels, taints }: Node): string {
  const type = labels[computeType] ?? taints.find(({ key }) => key === computeType)?.value ?? "";
  const managed = "eks.amazonaws.com/nodegroup" in labels ? "of managed node groups" : "";
  return computeTypes[type] ?? managed;
}

/** The nodes that a deployment may drain, and the counts of the others, in words such as `2 nodes of Fargate`. */
export function drainableAmong(nodes: readonly Node[]) {
  const { "": drainable = [], ...kept } = Object.groupBy(nodes, computeOf);
  const others = Object.entries(kept).map(
    ([kind, some = []]) => `${counted(some.length, "node")} ${kind}`,
  );
  return { nodes: drainable, others: others.toSorted() };
}
