import type { InstanceId } from "../../domain/ids.ts";
import { type Instant, later, seconds } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Marks } from "../../ports/marks.ts";

interface Kept {
  readonly mark: Promise<unknown>;
  readonly until: Instant;
}

// Longer than the drains of one batch are apart, and shorter than a node stays open that somebody has opened.
const memory = seconds(20);

/** The marks of all drains of this process; each is remembered for some seconds. */
export class SharedMarks implements Marks {
  readonly #clock: Pick<Clock, "now">;
  readonly #kept = new Map<InstanceId, Kept>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  keep(instance: InstanceId, mark: Promise<unknown>): void {
    this.#forget();
    this.#kept.set(instance, { mark, until: later(this.#clock.now(), memory) });
  }

  share(instance: InstanceId, mark: () => Promise<unknown>): Promise<unknown> {
    this.#forget();
    const kept = this.#kept.get(instance)?.mark ?? mark();
    if (!this.#kept.has(instance)) this.keep(instance, kept);
    return kept;
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [instance, { until }] of this.#kept) if (until <= now) this.#kept.delete(instance);
  }
}
