import { type Instant, instant } from "../../lambda/domain/time.ts";
import type { Change } from "../../sandbox/cluster/change-log.ts";
import { nodes } from "../../sandbox/cluster/core-resources.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { markedAtAnnotation, type WitnessedDrain } from "./witnessed-drain.ts";

/** When each node was first marked. */
export class MarkHistory {
  readonly #first = new Map<string, Instant>();

  constructor(world: VirtualWorld) {
    world.cluster.store.subscribe((change) => this.#hear(change, world));
  }

  /** The first mark of a node; the beginning of time if it has none. */
  firstOf({ object }: WitnessedDrain): Instant {
    return this.#first.get(object?.metadata.uid ?? "") ?? instant(0);
  }

  #hear({ resource, after }: Change, { timeline }: VirtualWorld): void {
    if (resource !== nodes || after === undefined) return;
    const { uid, annotations } = after.metadata;
    if (annotations?.[markedAtAnnotation] === undefined || this.#first.has(uid)) return;
    this.#first.set(uid, timeline.now());
  }
}
