import type { InstanceId } from "../../domain/ids.ts";
import { hasEnded } from "../../domain/node/ec2-instance.ts";
import { tryMarkedAt } from "../../domain/node/marking.ts";
import type { Node, Taint } from "../../domain/node/node.ts";
import { type Instant, later, seconds } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";

/** The state of a node during its drain; a node that is not as we marked it has to be marked again. */
export type NodeState = "kept" | "gone" | "instance-ended" | "not as marked";

/** A node under drain. */
export interface DrainedNode {
  readonly node: Node;
  readonly mark: "set" | "missing";
  readonly instance: InstanceId;
  readonly taints: readonly Taint[];
}

const every = seconds(20);

/** Checks from time to time that a node is still the one that was marked. */
export class NodeWatch {
  readonly #found: DrainedNode;
  readonly #ports: Ports;
  #node: Node;
  #due: Instant;

  constructor(found: DrainedNode, ports: Ports) {
    this.#found = found;
    this.#ports = ports;
    this.#node = found.node;
    this.#due = this.#next();
  }

  /** The node as it was last seen. */
  node(): Node {
    return this.#node;
  }

  /** When to look next. */
  due(): Instant {
    return this.#due;
  }

  /** Reads the node, and returns its state. */
  async look(): Promise<NodeState> {
    this.#due = this.#next();
    const seen = await this.#ports.cluster.node(this.#node.name);
    if (seen === "absent") return "gone";
    if (!isAsLeft(seen, this.#found)) return "not as marked";
    this.#node = seen;
    return (await isEnded(seen, this.#found.instance, this.#ports)) ? "instance-ended" : "kept";
  }

  #next(): Instant {
    return later(this.#ports.clock.now(), every);
  }
}

const isAsLeft = (seen: Node, { node, mark, taints }: DrainedNode): boolean =>
  seen.uid === node.uid && (mark === "missing" || tryMarkedAt(seen, taints) !== undefined);

/** Whether the instance of a node has ended. If EC2 does not say, the drain goes on. */
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
