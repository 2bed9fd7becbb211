import type { NodeName } from "../base/ids.ts";
import type { NodesView } from "../drain/cluster.port.ts";
import type { Node } from "../drain/node.ts";
import { nodesNamed } from "./collections.ts";
import { Informer, type InformerOptions } from "./informer.ts";

/** Follows the nodes with the given names, even if there are no such nodes yet. */
export async function nodesView(
  names: readonly NodeName[],
  options: InformerOptions<Node>,
): Promise<NodesView> {
  const informers = names.map((name) => new Informer(nodesNamed(name), options));
  const close = (): void => {
    for (const informer of informers) informer.close();
  };
  try {
    await Promise.all(informers.map((informer) => informer.start()));
  } catch (cause) {
    close();
    throw cause;
  }
  return { nodes: () => informers.flatMap((informer) => informer.items()), close };
}
