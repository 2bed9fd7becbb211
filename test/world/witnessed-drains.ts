import type { Duration, Instant } from "../../lambda/domain/time.ts";
import type { Pod } from "../../sandbox/cluster/pod.ts";
import { MarkHistory } from "./mark-history.ts";
import { PodHistory } from "./pod-history.ts";
import { isPutBack } from "./returned-pods.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { crossing, holds, tryDrainOf, type WitnessedDrain } from "./witnessed-drain.ts";
import { podsOn } from "./workloads.ts";
import { nodeOf } from "./world-options.ts";

/** What drains are told to do. */
export interface Orders {
  readonly timeout: Duration;
  readonly force: "at-deadline" | "never";
  /** How many nodes there are; any of them may be drained. */
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

  /** The drain of a numbered node, if there is one. */
  tryOf(index: number): WitnessedDrain | undefined {
    return tryDrainOf(this.world, index, this.orders.timeout);
  }

  /** The drains that there are. */
  all(): readonly WitnessedDrain[] {
    return this.#indices().flatMap((index) => this.tryOf(index) ?? []);
  }

  /** The number of the node that something is about; 0 if of none. */
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

  /** The pods that keep a node from being free, but for those that have only just come. */
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

  /** The mark that a drain goes by; what another one marks anew, for somebody has opened it, is not noticed at once. */
  markOf(drain: WitnessedDrain): Instant {
    const { first, last } = this.marks.of(drain);
    return this.all().length === 1 ? last : first;
  }
}
