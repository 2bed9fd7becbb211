import { seconds } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Marks } from "../../ports/marks.ts";
import { TtlCache } from "./ttl-cache.ts";

// Longer than the drains of one batch are apart, and shorter than a node stays open that somebody has opened.
const memory = seconds(20);

/** The marks of all drains of this process; each is remembered for some seconds. */
export class SharedMarks extends TtlCache<unknown> implements Marks {
  #count = 0;

  constructor(clock: Pick<Clock, "now">) {
    super(clock, () => memory);
  }

  made(): void {
    this.#count += 1;
  }

  count(): number {
    return this.#count;
  }
}
