/** Wakes what waits for it. Several rings count as one until it is heard. */
export class Wakeup {
  #rung = false;
  #wake: (() => void) | undefined;

  notify(): void {
    const wake = this.#wake;
    this.#rung = true;
    this.#wake = undefined; // in a burst it rings hundreds of times before the sleeper is awake
    wake?.();
  }

  /** Whether it has rung since it was last heard. This call counts as hearing it. */
  consume(): boolean {
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }

  #isRung(): boolean {
    return this.#rung;
  }

  /** Calls back at the next ring, at once if it has rung already; the returned function cancels that. */
  onRing(wake: () => void): () => void {
    if (this.#isRung()) wake();
    else this.#wake = wake;
    return () => {
      this.#wake = undefined;
    };
  }
}
