import type { SurveyNode } from "./survey.ts";

const idLabel = "topology.k8s.aws/zone-id";
const nameLabel = "topology.kubernetes.io/zone";

/** The names of zones that are given by their ids, as the labels of nodes tell them; an id that no node has stays as it is. */
export function zonesNamed(
  ids: readonly string[],
  nodes: readonly Pick<SurveyNode, "labels">[],
): readonly string[] {
  const names = new Map(nodes.map(({ labels }) => [labels[idLabel], labels[nameLabel]]));
  return ids.map((id) => names.get(id) ?? id);
}
