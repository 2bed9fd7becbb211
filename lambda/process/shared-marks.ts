import type { Clock } from "../base/clock.port.ts";
import { seconds } from "../base/time.ts";
import type { Marks } from "../drain/marks.port.ts";
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
