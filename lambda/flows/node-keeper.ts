import { tryMarkedAt } from "../domain/marking.ts";
import type { Node, Taint } from "../domain/node.ts";
import { type Instant, later, seconds } from "../domain/time.ts";
import type { Ports } from "../ports.ts";

/** What became of a node while it is drained; one that is not as we left it has to be marked again. */
export type NodeState = "kept" | "gone" | "not as marked";

/** Looks now and then whether the node is still the one that was marked. */
export interface NodeKeeper {
  /** The node as it was last seen. */
  node(): Node;
  /** When to look next. */
  due(): Instant;
  /** Looks if it is time. */
  look(): Promise<NodeState>;
}

const every = seconds(20);

/** Keeps an eye on a node that was just marked. */
export function nodeKeeperOf(
  marked: Node,
  taints: readonly Taint[],
  { cluster, clock }: Pick<Ports, "cluster" | "clock">,
): NodeKeeper {
  let node = marked;
  let due = later(clock.now(), every);
  return {
    node: () => node,
    due: () => due,
    async look() {
      if (clock.now() < due) return "kept";
      due = later(clock.now(), every);
      const seen = await cluster.node(node.name);
      if (seen === "absent") return "gone";
      if (seen.uid !== node.uid || tryMarkedAt(seen, taints) === undefined) return "not as marked";
      node = seen;
      return "kept";
    },
  };
}
