/**
 * The bytes that answers under way may have together. Nobody waits for them: the more answers are under way, the fewer bytes
 * the next one may have.
 */
export class SharedBytes {
  readonly #most: number;
  readonly #least: number;
  #left: number;

  constructor({
    all,
    most,
    least,
  }: {
    readonly all: number;
    /** The most bytes of an answer. */
    readonly most: number;
    /** The bytes that an answer may have even if none are left. */
    readonly least: number;
  }) {
    this.#left = all;
    this.#most = most;
    this.#least = least;
  }

  /** Reads an answer of so many bytes at the most. */
  async share<T>(read: (most: number) => Promise<T>): Promise<T> {
    const most = Math.max(this.#least, Math.min(this.#most, this.#left / 2));
    this.#left -= most;
    try {
      return await read(most);
    } finally {
      this.#left += most;
    }
  }
}
