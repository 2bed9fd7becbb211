import type { Duration, Instant } from "../../lambda/domain/time.ts";
import type { Pod } from "../../sandbox/cluster/pod.ts";
import { MarkHistory } from "./mark-history.ts";
import { PodHistory } from "./pod-history.ts";
import { isPutBack } from "./returned-pods.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { crossing, holds, tryDrainOf, type WitnessedDrain } from "./witnessed-drain.ts";
import { podsOn } from "./workloads.ts";
import { nodeOf } from "./world-options.ts";

/** The settings of the drains. */
export interface Orders {
  readonly timeout: Duration;
  readonly force: "at-deadline" | "never";
  /** How many nodes the world has; any of them may be drained. */
  readonly nodes: number;
}

/** The drains of a world, and the pods that hold them up. */
export class WitnessedDrains {
  readonly world: VirtualWorld;
  readonly orders: Orders;
  readonly history: PodHistory;
  readonly marks: MarkHistory;

  constructor(world: VirtualWorld, orders: Orders) {
    this.world = world;
    this.orders = orders;
    this.history = new PodHistory(world);
    this.marks = new MarkHistory(world);
  }

  /** The drain of the node with this number, if there is one. */
  tryOf(index: number): WitnessedDrain | undefined {
    return tryDrainOf(this.world, index, this.orders.timeout);
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
    return Array.from({ length: this.orders.nodes }, (_, at) => at + 1);
  }

  /** The drain of the node that a pod is on, if there is one. */
  tryFor({ spec }: Pod): WitnessedDrain | undefined {
    return this.tryOf(this.indexOf((index) => nodeOf(index) === spec.nodeName));
  }

  /** The pods that keep a node from being empty, except those that were only just bound to it. */
  holding(index: number, drain: WitnessedDrain): readonly Pod[] {
    const now = this.world.timeline.now();
    return podsOn(this.world, index)
      .filter((pod) => holds(pod, drain, now))
      .filter(({ metadata }) => {
        const known = this.history.tryPod(metadata.uid);
        const { bound = now } = known ?? {};
        return now - bound > crossing && !(known && isPutBack(known, this.markOf(drain)));
      });
  }

  /**
   * When the drain saw its node marked. With several drains, the first mark counts: a drain does
   * not notice at once that another invocation has marked an uncordoned node again.
   */
  markOf(drain: WitnessedDrain): Instant {
    const { first, last } = this.marks.of(drain);
    return this.all().length === 1 ? last : first;
  }
}
