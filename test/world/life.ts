/** Whether a function's process lives: from one moment to the next it may do nothing any more. */
export class Life {
  readonly #mourners = new Set<() => void>();
  #state: "alive" | "over" = "alive";

  get over(): boolean {
    return this.#state === "over";
  }

  /** Ends it, wherever it is: what it waits for never comes. */
  end(): void {
    this.#state = "over";
    for (const mourner of this.#mourners) mourner();
  }

  /** Calls back at its end. */
  onEnd(mourner: () => void): void {
    this.#mourners.add(mourner);
  }

  /** Gives back what a promise does, but nothing ever once life is over. */
  async bound<T>(promise: Promise<T>): Promise<T> {
    await Promise.allSettled([promise]);
    return this.over ? new Promise(() => undefined) : promise;
  }
}
