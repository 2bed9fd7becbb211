/** Wakes its waiter. Several notifications count as one until it is consumed. */
export class Wakeup {
  #notified = false;
  #wake: (() => void) | undefined;

  notify(): void {
    const wake = this.#wake;
    this.#notified = true;
    this.#wake = undefined; // in a burst it notifies hundreds of times before the sleeper is awake
    wake?.();
  }

  /** True if it was notified since the last call. */
  consume(): boolean {
    const rung = this.#notified;
    this.#notified = false;
    return rung;
  }

  #isRung(): boolean {
    return this.#notified;
  }

  /** Calls back at the next notification, or at once if there was one; the returned function cancels that. */
  onNotify(wake: () => void): () => void {
    if (this.#isRung()) wake();
    else this.#wake = wake;
    return () => {
      this.#wake = undefined;
    };
  }
}
