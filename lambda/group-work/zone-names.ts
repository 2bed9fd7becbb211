import type { Node } from "../drain/node.ts";

const idLabel = "topology.k8s.aws/zone-id";
const nameLabel = "topology.kubernetes.io/zone";

/** Replaces the ids of zones by their names, as far as the labels of nodes tell them. */
export function zonesNamed(
  ids: readonly string[],
  nodes: Iterable<Pick<Node, "labels">>,
): readonly string[] {
  const names = new Map(Array.from(nodes, ({ labels }) => [labels[idLabel], labels[nameLabel]]));
  return ids.map((id) => names.get(id) ?? id);
}
