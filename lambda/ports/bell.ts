/** Wakes whoever waits: it may ring many times before it is heard, and is then heard once. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** True when it has rung since it was last heard; hearing it silences it. */
  heard(): boolean {
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }

  #isRung(): boolean {
    return this.#rung;
  }

  /** Calls back at the next ring, at once if it has rung already; the answer takes the call back. */
  onRing(wake: () => void): () => void {
    this.#wake = wake;
    if (this.#isRung()) wake();
    return () => {
      this.#wake = undefined;
    };
  }
}
