import { type Instant, later, milliseconds, seconds } from "../../../domain/time.ts";
import { Bell } from "../../../ports/bell.ts";
import type { Clock } from "../../../ports/clock.ts";

// How late a change of a budget may be read while nothing moves.
const longestRest = milliseconds(200);
// Budgets move on within seconds of an eviction, and several times.
const livelyFor = seconds(10);

/**
 * Lets whoever follows budgets read changes together that concern nobody, because waking up costs more than a change does.
 *
 * There is no such rest while anything moves: from an eviction, or a change that concerns a drain, until ten seconds after it.
 */
export class Lull {
  readonly #clock: Clock;
  readonly #resting = new Set<Bell>();
  #evictions = 0;
  #stirred: Instant;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stirred = clock.now();
  }

  /** Something moves: ends all rests. */
  stir(): void {
    this.#stirred = this.#clock.now();
    for (const bell of this.#resting) bell.ring();
  }

  /** Evicts, which moves something until it is over. */
  async during<T>(evict: () => Promise<T>): Promise<T> {
    this.#evictions += 1;
    this.stir();
    try {
      return await evict();
    } finally {
      this.#evictions -= 1;
      this.stir();
    }
  }

  /** Rests for a moment, unless something moves or the signal is aborted. */
  async rest(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const isLively = this.#evictions > 0 || now < later(this.#stirred, livelyFor);
    if (isLively || signal.aborted) return;
    const bell = new Bell();
    const wake = (): void => bell.ring();
    this.#resting.add(bell);
    signal.addEventListener("abort", wake);
    await this.#clock.sleep(later(now, longestRest), bell);
    signal.removeEventListener("abort", wake);
    this.#resting.delete(bell);
  }
}
