import type { Clock } from "../base/clock.port.ts";
import type { Duration, Instant } from "../base/time.ts";

/** Calls back once nothing has been heard for a while: a stream of many items is slow, but not silent. */
export class Silence {
  readonly #clock: Pick<Clock, "now">;
  readonly #patience: Duration;
  readonly #callBack: () => void;
  #heard: Instant;
  #timer: NodeJS.Timeout;

  constructor(clock: Pick<Clock, "now">, patience: Duration, callBack: () => void) {
    this.#clock = clock;
    this.#patience = patience;
    this.#callBack = callBack;
    this.#heard = clock.now();
    this.#timer = this.#wait(patience);
  }

  /** Something has been heard. */
  heard(): void {
    this.#heard = this.#clock.now();
  }

  /** Nobody listens any more. */
  over(): void {
    clearTimeout(this.#timer);
  }

  #wait(time: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left = this.#patience - (this.#clock.now() - this.#heard);
      if (left <= 0) this.#callBack();
      else this.#timer = this.#wait(left);
    }, time);
  }
}
