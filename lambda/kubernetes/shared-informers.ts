import { type Collection, keyOf } from "./collection.ts";
import { Informer, type InformerTools, type Listener } from "./informer.ts";

/** A collection with a follower, or several. */
export interface Followed<T> {
  /** The latest items; throws the fault that ended the informer. */
  items(): readonly T[];
  /** Whether an owner has so many items that theirs are left out. */
  leavesOut(owner: string): boolean;
  /** Leaves the informer to the others; the last one closes it. */
  close(): void;
}

interface Shared<T> {
  readonly informer: Informer<T>;
  readonly started: Promise<void>;
  readonly bells: Set<Listener<T>>;
}

/** Hears of all that is followed, once however many follow it, and before they do. */
export interface ItemListener<T> {
  /** Hears of a changed item, as it was before and as it is now. */
  changed(news: readonly T[]): void;
  /** Hears of all items of a collection, whenever they have been listed. */
  listed(items: readonly T[]): void;
}

/** Follows each collection once, however many drains of this process want it. */
export class SharedInformers<T> {
  readonly #options: InformerTools;
  readonly #listener: ItemListener<T>;
  readonly #shared = new Map<string, Shared<T>>();

  constructor(options: InformerTools, listener: ItemListener<T> = ignoresAll) {
    this.#options = options;
    this.#listener = listener;
  }

  /** Follows a collection; notifies the listener of every change. */
  async follow(collection: Collection<T>, wakeup: Listener<T>): Promise<Followed<T>> {
    const shared = this.#present(keyOf(collection)) ?? this.#start(collection);
    const { informer, started, bells } = shared;
    // The same listener may follow more than once, and each time ends by itself.
    const own: Listener<T> = { notify: (news) => wakeup.notify(news) };
    bells.add(own);
    const close = (): void => {
      bells.delete(own);
      if (bells.size === 0) this.#end(keyOf(collection), shared);
    };
    try {
      await started;
    } catch (cause) {
      close();
      throw cause;
    }
    return {
      items: () => informer.items(),
      leavesOut: (owner) => informer.leftOut().has(owner),
      close,
    };
  }

  /** The latest items of a collection, if it is followed. */
  known(key: string): readonly T[] {
    return this.#present(key)?.informer.items() ?? [];
  }

  /** Rings the bells of all who follow a collection, though nothing of it has changed. */
  ring(key: string, news: readonly T[]): void {
    ringAll(this.#shared.get(key)?.bells ?? new Set<Listener<T>>(), news);
  }

  /** The keys of the followed collections. */
  followed(): Pick<ReadonlyMap<string, unknown>, "has" | "size"> {
    return this.#shared;
  }

  /** An informer that ended with a fault is left to its present followers. */
  #present(key: string): Shared<T> | undefined {
    const shared = this.#shared.get(key);
    return shared?.informer.isOver() === true ? undefined : shared;
  }

  #start(collection: Collection<T>): Shared<T> {
    const bells = new Set<Listener<T>>();
    const wakeup: Listener<T> = {
      notify: (news) => {
        if (news === "all") this.#listed(informer);
        else this.#listener.changed(news);
        ringAll(bells, news);
      },
    };
    const informer = new Informer(collection, { ...this.#options, wakeup });
    const started = informer.start().then(() => this.#listed(informer));
    const shared = { informer, started, bells };
    this.#shared.set(keyOf(collection), shared);
    return shared;
  }

  #listed(informer: Informer<T>): void {
    if (!informer.isOver()) this.#listener.listed(informer.items());
  }

  #end(key: string, shared: Shared<T>): void {
    shared.informer.close();
    if (this.#shared.get(key) === shared) this.#shared.delete(key);
  }
}

const ignoresAll: ItemListener<unknown> = { changed: () => undefined, listed: () => undefined };

/** Rings all bells, beginning with a random one, because the first to hear of a budget uses what it allows. */
function ringAll<T>(bells: ReadonlySet<Listener<T>>, news: readonly T[] | "all"): void {
  const start = Math.floor(Math.random() * bells.size);
  const all = [...bells];
  for (const one of [...all.slice(start), ...all.slice(0, start)]) one.notify(news);
}
