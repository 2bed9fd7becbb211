/** The items of a collection, put together from lists and the events of a watch, in whatever order they arrive. */
export class Store<T> {
  readonly #uid: (item: T) => string;
  /** Deleted items stay in here: a list that arrives late must not bring them back. */
  #known = new Map<string, StoredItem<T>>();
  /** The present items, kept as a list because they are read far more often than they change. */
  #there: readonly T[] | undefined;
  /** The version of the latest list: older events are part of it. */
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

  /** Applies an event. If it is news, returns the item as it was before, if it was known, and as it is now. */
  apply(event: StoredItem<T>): readonly T[] {
    if (event.version <= this.#floor) return [];
    const uid = this.#uid(event.item);
    const before = this.#known.get(uid);
    this.#known.set(uid, event);
    this.#there = undefined;
    return before === undefined ? [event.item] : [before.item, event.item];
  }

  /** Replaces the items by those of a list, but keeps the events of later versions. */
  replace(items: readonly T[], version: number): void {
    if (version < this.#floor) return;
    const listed = items.map((item): StoredItem<T> => ({ kind: "changed", item, version }));
    const later = [...this.#known.values()].filter((stored) => stored.version > version);
    this.#known = new Map([...listed, ...later].map((stored) => [this.#uid(stored.item), stored]));
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
