import type { NodeName } from "../../../domain/ids.ts";
import type { NodesView } from "../../../ports/cluster.ts";
import { nodesNamed } from "./collections.ts";
import { Follower, type Following } from "./informer.ts";

/** Follows the nodes of some names, whether there are such nodes yet or not. */
export async function nodesView(
  names: readonly NodeName[],
  following: Following,
): Promise<NodesView> {
  const followers = names.map((name) => new Follower(nodesNamed(name), following));
  await Promise.all(followers.map((follower) => follower.start()));
  return {
    nodes: () => followers.flatMap((follower) => follower.items()),
    close() {
      for (const follower of followers) follower.close();
    },
  };
}
