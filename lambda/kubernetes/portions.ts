import { between, type Instant, seconds } from "../base/time.ts";

/**
 * The portion of a collection that each owner may have: objects of others must not fill the memory,
 * nor take the time.
 */
export interface Portion<T> {
  /** Whose an item is: its namespace. */
  of(item: T): string;
  /** The size of an item as JSON, in bytes. */
  size(item: T): number;
  /** The most bytes of an owner's items; twice as many may arrive in ten seconds. */
  readonly most: number;
  /** Selects what others have; `nothing` where nobody else has any. */
  without(owners: readonly string[]): string | "nothing";
}

interface Stream {
  readonly level: number;
  readonly at: Instant;
}

const span = seconds(10);

/** Counts what each owner has in a collection. */
export class Portions<T> {
  readonly #portion: Portion<T>;
  readonly #sizes = new Map<string, number>();
  readonly #sums = new Map<string, number>();
  readonly #streams = new Map<string, Stream>();

  constructor(portion: Portion<T>) {
    this.#portion = portion;
  }

  /** Counts an item that is there; `too much` where its owner has more than may be. */
  keep(uid: string, item: T): "fits" | "too much" {
    const size = this.#portion.size(item);
    const sum = this.#add(uid, item, size);
    return sum > this.#portion.most ? "too much" : "fits";
  }

  /** Counts an item that is gone. */
  drop(uid: string, item: T): void {
    this.#add(uid, item, 0);
  }

  /** Counts an item that has arrived, again or for the first time. */
  arrive(item: T, now: Instant): "fits" | "too much" {
    const { of, size, most } = this.#portion;
    const owner = of(item);
    const { level, at } = this.#streams.get(owner) ?? { level: 0, at: now };
    const left = Math.max(0, level - (2 * most * between(at, now)) / span);
    this.#streams.set(owner, { level: left + size(item), at: now });
    return left + size(item) > 2 * most ? "too much" : "fits";
  }

  #add(uid: string, item: T, size: number): number {
    const owner = this.#portion.of(item);
    const sum = (this.#sums.get(owner) ?? 0) - (this.#sizes.get(uid) ?? 0) + size;
    if (size === 0) this.#sizes.delete(uid);
    else this.#sizes.set(uid, size);
    this.#sums.set(owner, sum);
    return sum;
  }
}
