import type { Node } from "../drain/node.ts";

const idLabel = "topology.k8s.aws/zone-id";
const nameLabel = "topology.kubernetes.io/zone";

/**
 * Replaces the ids of zones by their names, as far as the labels of nodes tell them. A kubelet may write these labels of its
 * own node, so the name counts that most nodes of the zone have; of several, all do.
 */
export function zonesNamed(
  ids: readonly string[],
  nodes: Iterable<Pick<Node, "labels">>,
): readonly string[] {
  const labels = Array.from(nodes, (node) => node.labels);
  return ids.flatMap((id) => {
    const named = labels.flatMap((its) => (its[idLabel] === id ? (its[nameLabel] ?? []) : []));
    const votes = [...Map.groupBy(named, (name) => name)];
    const most = Math.max(0, ...votes.map(([, { length }]) => length));
    const names = votes.flatMap(([name, { length }]) => (length === most ? [name] : []));
    return names.length === 0 ? [id] : names;
  });
}
