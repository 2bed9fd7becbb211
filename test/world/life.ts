/**
 * Whether a process of the function lives: it may die at any moment, and then does nothing more.
 */
export class Life {
  readonly #mourners = new Set<() => void>();
  #state: "alive" | "over" = "alive";

  get over(): boolean {
    return this.#state === "over";
  }

  /** Ends the process at any point of its work: nothing that it waits for ever comes. */
  end(): void {
    this.#state = "over";
    for (const mourner of this.#mourners) mourner();
  }

  /** Calls back when the process ends. */
  onEnd(mourner: () => void): void {
    this.#mourners.add(mourner);
  }

  /** Returns a promise's result, but never settles once the process has ended. */
  async bound<T>(promise: Promise<T>): Promise<T> {
    await Promise.allSettled([promise]);
    return this.over ? new Promise(() => undefined) : promise;
  }
}
