/** Limits how many callers are inside at once; the others wait in line. */
export class Semaphore {
  readonly #capacity: () => number;
  readonly #line = new Set<() => void>();
  #inside = 0;

  constructor(capacity: () => number) {
    this.#capacity = capacity;
  }

  /** The number of callers inside. */
  get inside(): number {
    return this.#inside;
  }

  /** Waits for a place; throws the signal's reason if the signal fires first. */
  async enter(signal: AbortSignal): Promise<void> {
    const mayEnter = this.#line.size === 0 && this.#inside < this.#capacity();
    if (mayEnter && !signal.aborted) this.#inside += 1;
    else await this.#queue(signal);
  }

  #queue(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.#line.delete(resolve);
      reject(signal.reason);
    };
    this.#line.add(resolve);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    this.#admit(this.#capacity());
    return promise;
  }

  /** Does some work once there is a place for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter(new AbortController().signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  leave(): void {
    this.#inside -= 1;
    this.#admit(this.#capacity());
  }

  /** Admits all that wait, whatever the capacity: their requests then fail, as the session is closed. */
  evacuate(): void {
    this.#admit(Number.POSITIVE_INFINITY);
  }

  #admit(capacity: number): void {
    for (const enter of this.#line) {
      if (this.#inside >= capacity) return;
      this.#line.delete(enter);
      this.#inside += 1;
      enter();
    }
  }
}
