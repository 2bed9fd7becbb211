/** A collection as far as lists and the events of a watch have told, in whatever order they arrive. */
export class Store<T> {
  readonly #uid: (item: T) => string;
  /** What is gone is kept as well: a list that comes late must not bring it back. */
  #known = new Map<string, StoredItem<T>>();
  /** Looked through far more often than it changes. */
  #there: readonly T[] | undefined;
  /** The version of the latest list: it has all that was told up to there. */
  #floor = 0;

  constructor(uid: (item: T) => string) {
    this.#uid = uid;
  }

  /** The items that are there. */
  all(): readonly T[] {
    this.#there ??= [...this.#known.values()]
      .filter(({ kind }) => kind === "changed")
      .map(({ item }) => item);
    return this.#there;
  }

  /** Takes in an event; says whether it was news. */
  hear(told: StoredItem<T>): "news" | "known" {
    if (told.version <= this.#floor) return "known";
    this.#known.set(this.#uid(told.item), told);
    this.#there = undefined;
    return "news";
  }

  /** Takes in a list of a version; what was told of later versions stays. */
  list(items: readonly T[], version: number): void {
    if (version < this.#floor) return;
    const listed = items.map((item): StoredItem<T> => ({ kind: "changed", item, version }));
    const later = [...this.#known.values()].filter((told) => told.version > version);
    this.#known = new Map([...listed, ...later].map((told) => [this.#uid(told.item), told]));
    this.#there = undefined;
    this.#floor = version;
  }
}

/** An item as of a version of its collection. */
export interface StoredItem<T> {
  readonly kind: "changed" | "deleted";
  readonly item: T;
  readonly version: number;
}
