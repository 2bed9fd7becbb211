import { type Instant, instant } from "../../lambda/domain/time.ts";
import type { Change } from "../../sandbox/cluster/change-log.ts";
import { nodes } from "../../sandbox/cluster/core-resources.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { markedAtAnnotation, type WitnessedDrain } from "./witnessed-drain.ts";

/** When a node got its mark for the first time, and for the last time. */
export interface Marks {
  readonly first: Instant;
  readonly last: Instant;
}

const unmarked: Marks = { first: instant(0), last: instant(0) };

/** Records when each node was marked, whatever time the mark itself states. */
export class MarkHistory {
  readonly #marks = new Map<string, Marks>();

  constructor(world: VirtualWorld) {
    world.cluster.store.subscribe((change) => this.#hear(change, world));
  }

  /** The marks of a node; a node without any counts as marked long ago. */
  of({ object }: WitnessedDrain): Marks {
    return this.#marks.get(object?.metadata.uid ?? "") ?? unmarked;
  }

  #hear({ resource, before, after }: Change, { timeline }: VirtualWorld): void {
    if (resource !== nodes || after === undefined) return;
    const { uid, annotations } = after.metadata;
    const mark = annotations?.[markedAtAnnotation];
    if (mark === undefined || mark === before?.metadata.annotations?.[markedAtAnnotation]) return;
    const last = timeline.now();
    const { first } = this.#marks.get(uid) ?? { first: last };
    this.#marks.set(uid, { first, last });
  }
}
