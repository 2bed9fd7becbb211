/** Wakes whoever waits for it: several rings count as one until somebody hears them. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    const wake = this.#wake;
    this.#rung = true;
    this.#wake = undefined; // in a burst it rings hundreds of times before the sleeper is awake
    wake?.();
  }

  /** Whether it has rung since somebody last heard it; this call counts as hearing it. */
  heard(): boolean {
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
