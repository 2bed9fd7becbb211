/** The items of a collection, put together from lists and the events of a watch, in whatever order they arrive. */
export class Store<T> {
  readonly #uid: (item: T) => string;
  /** While lists are under way, deleted items leave their version in here: a list that arrives late must not bring them back. */
  #known = new Map<string, StoredItem<T>>();
  /** The number of lists that are under way. */
  #lists = 0;
  /** The present items, kept as a list because they are read far more often than they change. */
  #there: readonly T[] | undefined;
  /** The version of the latest list: older events are part of it. */
  #floor = 0;

  constructor(uid: (item: T) => string) {
    this.#uid = uid;
  }

  /** The items that are there. */
  all(): readonly T[] {
    this.#there ??= [...this.#known.values()].flatMap((stored) =>
      stored.kind === "changed" ? [stored.item] : [],
    );
    return this.#there;
  }

  /** Applies an event. If it is news, returns the item as it was before, if it was there, and as it is now. */
  apply({
    kind,
    item,
    version,
  }: {
    readonly kind: "changed" | "deleted";
    readonly item: T;
    readonly version: number;
  }): readonly T[] {
    if (version <= this.#floor) return [];
    const uid = this.#uid(item);
    const before = this.#known.get(uid);
    if (kind === "changed") this.#known.set(uid, { kind, item, version });
    else if (this.#lists > 0) this.#known.set(uid, { kind, version });
    else this.#known.delete(uid);
    this.#there = undefined;
    return before?.kind === "changed" ? [before.item, item] : [item];
  }

  /** Remembers what is deleted during a list. One that begins later does not have it any more. */
  async during(list: () => Promise<void>): Promise<void> {
    this.#lists += 1;
    try {
      await list();
    } finally {
      this.#lists -= 1;
      if (this.#lists === 0) this.#forgetDeleted();
    }
  }

  /** Replaces the items by those of a list, but keeps the events of later versions. */
  replace(items: readonly T[], version: number): void {
    if (version < this.#floor) return;
    const listed = items.map(
      (item) => [this.#uid(item), { kind: "changed", item, version }] as const,
    );
    const later = [...this.#known].filter(([, stored]) => stored.version > version);
    this.#known = new Map<string, StoredItem<T>>([...listed, ...later]);
    this.#there = undefined;
    this.#floor = version;
  }

  /** Forgets some items. */
  remove(isMeant: (item: T) => boolean): void {
    this.#keep((stored) => stored.kind === "deleted" || !isMeant(stored.item));
    this.#there = undefined;
  }

  #forgetDeleted(): void {
    this.#keep(({ kind }) => kind === "changed");
  }

  #keep(isMeant: (stored: StoredItem<T>) => boolean): void {
    this.#known = new Map([...this.#known].filter(([, stored]) => isMeant(stored)));
  }
}

/** An item as of a version of its collection. */
type StoredItem<T> =
  | { readonly kind: "changed"; readonly item: T; readonly version: number }
  | { readonly kind: "deleted"; readonly version: number };
