import { Bell } from "../base/bell.ts";
import type { Clock } from "../base/clock.port.ts";
import { type Instant, later, milliseconds, seconds } from "../base/time.ts";

// How late a change of a budget may be read while nothing moves.
const longestRest = milliseconds(200);
// Budgets move on within seconds of an eviction, and several times.
const livelyFor = seconds(10);

/**
 * Lets whoever follows budgets read changes together that concern nobody, because waking up costs more than a change does.
 *
 * There is no such rest while anything moves: while a drain evicts or begins to follow budgets, at a change that concerns one,
 * and for ten seconds after these.
 */
export class WakeThrottle {
  readonly #clock: Clock;
  readonly #bell = new Bell();
  /** The rest of all who rest now: they wake together. */
  #rest: Promise<void> | undefined;
  #underWay = 0;
  #stirred: Instant;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stirred = clock.now();
  }

  /** Something moves: ends the rest. */
  stir(): void {
    this.#stirred = this.#clock.now();
    this.#bell.ring();
  }

  /** Does what moves something until it is over. */
  async during<T>(move: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    this.stir();
    try {
      return await move();
    } finally {
      this.#underWay -= 1;
      this.stir();
    }
  }

  /** Rests for a moment, unless something moves or the signal is aborted. */
  async rest(signal: AbortSignal): Promise<void> {
    if (this.#isLively() || signal.aborted) return;
    const wake = (): void => this.#bell.ring();
    signal.addEventListener("abort", wake);
    this.#rest ??= this.#sleep();
    await this.#rest;
    signal.removeEventListener("abort", wake);
  }

  #isLively(): boolean {
    return this.#underWay > 0 || this.#clock.now() < later(this.#stirred, livelyFor);
  }

  async #sleep(): Promise<void> {
    this.#bell.heard(); // what rang before is over
    await this.#clock.sleep(later(this.#clock.now(), longestRest), this.#bell);
    this.#rest = undefined;
  }
}
