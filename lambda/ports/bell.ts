/** Wakes whoever waits for it: several rings count as one until somebody hears them. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
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
    this.#wake = wake;
    if (this.#isRung()) wake();
    return () => {
      this.#wake = undefined;
    };
  }
}
