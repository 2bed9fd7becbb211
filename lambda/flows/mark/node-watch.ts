import type { InstanceId } from "../../domain/ids.ts";
import { hasEnded } from "../../domain/node/ec2-instance.ts";
import { tryMarkedAt } from "../../domain/node/marking.ts";
import type { Node, Taint } from "../../domain/node/node.ts";
import { type Instant, later, seconds } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";

/** What became of a node while it is drained; one that is not as we left it has to be marked again. */
export type NodeState = "kept" | "gone" | "instance-ended" | "not as marked";

/** Looks now and then whether the node is still the one that was marked. */
export interface NodeWatch {
  /** The node as it was last seen. */
  node(): Node;
  /** When to look next. */
  due(): Instant;
  /** Looks. */
  check(): Promise<NodeState>;
}

const every = seconds(20);

/** A node under drain. */
export interface DrainedNode {
  readonly node: Node;
  readonly mark: "set" | "missing";
  readonly instance: InstanceId;
  readonly taints: readonly Taint[];
}

/** Keeps an eye on a node from now on. */
export function nodeWatchOf(
  { node: found, mark, instance, taints }: DrainedNode,
  ports: Ports,
): NodeWatch {
  const { cluster, clock } = ports;
  const isAsLeft = (seen: Node): boolean =>
    seen.uid === found.uid && (mark === "missing" || tryMarkedAt(seen, taints) !== undefined);
  let node = found;
  let due = later(clock.now(), every);
  return {
    node: () => node,
    due: () => due,
    async check() {
      due = later(clock.now(), every);
      const seen = await cluster.node(node.name);
      if (seen === "absent") return "gone";
      if (!isAsLeft(seen)) return "not as marked";
      node = seen;
      return (await isEnded(node, instance, ports)) ? "instance-ended" : "kept";
    },
  };
}

/** A drain goes on where EC2 does not say. */
async function isEnded(
  node: Node,
  instance: InstanceId,
  { instances, journal }: Ports,
): Promise<boolean> {
  if (node.readiness === "ready") return false;
  try {
    return hasEnded(node, await instances.describe(instance));
  } catch (cause) {
    journal.record(faultEntry(cause));
    return false;
  }
}
