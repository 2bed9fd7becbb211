/** Lets only so many in at once; the others wait in line. */
export class Turnstile {
  readonly #capacity: () => number;
  readonly #line = new Set<() => void>();
  #inside = 0;

  constructor(capacity: () => number) {
    this.#capacity = capacity;
  }

  /** How many are inside. */
  get inside(): number {
    return this.#inside;
  }

  /** Waits for a place; whoever gives up waiting throws the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    if (this.#inside >= this.#capacity()) await this.#wait(signal);
    this.#inside += 1;
  }

  leave(): void {
    this.#inside -= 1;
    this.#admit();
  }

  /** Sends everybody in, whatever the capacity, to find out that the place has closed. */
  evacuate(): void {
    for (const admit of this.#line) admit();
    this.#line.clear();
  }

  #admit(): void {
    const [first] = this.#line;
    if (first === undefined) return;
    this.#line.delete(first);
    first();
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#line.add(resolve);
    const giveUp = (): void => {
      this.#line.delete(resolve);
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    return promise;
  }
}
