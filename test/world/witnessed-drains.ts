import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import { MarkHistory } from "./mark-history.ts";
import { PodHistory } from "./pod-history.ts";
import { isPutBack } from "./returned-pods.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import {
  crossing,
  holds,
  type Orders,
  tryDrainOf,
  type WitnessedDrain,
} from "./witnessed-drain.ts";
import { podsOn } from "./workloads.ts";
import { nodeOf } from "./world-options.ts";

/** The settings of the drain of each node, by the node's number; any node may be drained. */
export type AllOrders = ReadonlyMap<number, Orders>;

/** The drains of a world, and the pods that hold them up. */
export class WitnessedDrains {
  readonly world: VirtualWorld;
  readonly #orders: AllOrders;
  readonly history: PodHistory;
  readonly marks: MarkHistory;

  constructor(world: VirtualWorld, orders: AllOrders) {
    this.world = world;
    this.#orders = orders;
    this.history = new PodHistory(world);
    this.marks = new MarkHistory(world);
  }

  /** The drain of the node with this number, if there is one. */
  tryOf(index: number): WitnessedDrain | undefined {
    const orders = this.#orders.get(index);
    return orders && tryDrainOf(this.world, { ...orders, index, mark: this.marks.of(index) });
  }

  /** All drains of the world. */
  all(): readonly WitnessedDrain[] {
    return this.#indices().flatMap((index) => this.tryOf(index) ?? []);
  }

  /** The number of the first node that matches; 0 if no node does. */
  indexOf(isAbout: (index: number) => boolean): number {
    return this.#indices().find(isAbout) ?? 0;
  }

  #indices(): readonly number[] {
    return [...this.#orders.keys()];
  }

  /** The drain of the node that a pod is on, if there is one. */
  tryFor({ spec }: Pod): WitnessedDrain | undefined {
    return this.tryOf(this.indexOf((index) => nodeOf(index) === spec.nodeName));
  }

  /** The pods that keep a node from being empty, except those that were only just bound to it. */
  holding(drain: WitnessedDrain): readonly Pod[] {
    const now = this.world.timeline.now();
    return podsOn(this.world, drain.index)
      .filter((pod) => holds(pod, drain, now))
      .filter(({ metadata }) => {
        const known = this.history.tryPod(metadata.uid);
        const { bound = now } = known ?? {};
        return now - bound > crossing && !(known && isPutBack(known, drain.mark.set));
      });
  }
}
