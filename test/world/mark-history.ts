import { type Instant, instant } from "../../lambda/domain/time.ts";
import type { Change } from "../../sandbox/cluster/change-log.ts";
import { nodes } from "../../sandbox/cluster/core-resources.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { markedAtAnnotation, type WitnessedDrain } from "./witnessed-drain.ts";

/** When a node came to bear its mark, for the first and for the last time. */
export interface Marks {
  readonly first: Instant;
  readonly last: Instant;
}

const unmarked: Marks = { first: instant(0), last: instant(0) };

/** When every node was marked, whatever its mark says. */
export class MarkHistory {
  readonly #marks = new Map<string, Marks>();

  constructor(world: VirtualWorld) {
    world.cluster.store.subscribe((change) => this.#hear(change, world));
  }

  /** The marks of a node; those of one without any are of long ago. */
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
