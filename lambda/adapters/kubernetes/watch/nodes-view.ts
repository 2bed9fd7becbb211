import type { NodeName } from "../../../domain/ids.ts";
import type { NodesView } from "../../../ports/cluster.ts";
import { nodesNamed } from "./collections.ts";
import { Informer, type InformerOptions } from "./informer.ts";

/** Follows the nodes of some names, whether there are such nodes yet or not. */
export async function nodesView(
  names: readonly NodeName[],
  following: InformerOptions,
): Promise<NodesView> {
  const followers = names.map((name) => new Informer(nodesNamed(name), following));
  await Promise.all(followers.map((follower) => follower.start()));
  return {
    nodes: () => followers.flatMap((follower) => follower.items()),
    close() {
      for (const follower of followers) follower.close();
    },
  };
}
