import type { Bell } from "../../../ports/bell.ts";
import type { Collection } from "./collection.ts";
import { Informer, type InformerOptions } from "./informer.ts";

/** A collection that somebody follows, perhaps together with others. */
export interface Followed<T> {
  /** The latest items; throws the fault that ended the informer. */
  items(): readonly T[];
  /** Leaves the informer to the others; the last one closes it. */
  close(): void;
}

type Ring = Pick<Bell, "ring">;

interface Shared<T> {
  readonly informer: Informer<T>;
  readonly started: Promise<void>;
  readonly bells: Set<Ring>;
}

/** Follows each collection once, however many drains of this process want it. */
export class SharedInformers<T> {
  readonly #options: Omit<InformerOptions, "bell">;
  readonly #shared = new Map<string, Shared<T>>();

  constructor(options: Omit<InformerOptions, "bell">) {
    this.#options = options;
  }

  /** Follows a collection; the bell rings at every change. */
  async follow(collection: Collection<T>, bell: Ring): Promise<Followed<T>> {
    const shared = this.#present(collection.path) ?? this.#start(collection);
    const { informer, started, bells } = shared;
    bells.add(bell);
    const close = (): void => {
      bells.delete(bell);
      if (bells.size === 0) this.#end(collection.path, shared);
    };
    try {
      await started;
    } catch (cause) {
      close();
      throw cause;
    }
    return { items: () => informer.items(), close };
  }

  /** An informer that has ended by a fault is left to those who follow it already. */
  #present(path: string): Shared<T> | undefined {
    const shared = this.#shared.get(path);
    return shared?.informer.isOver() === true ? undefined : shared;
  }

  #start(collection: Collection<T>): Shared<T> {
    const bells = new Set<Ring>();
    const bell = {
      ring() {
        for (const one of bells) one.ring();
      },
    };
    const informer = new Informer(collection, { ...this.#options, bell });
    const shared = { informer, started: informer.start(), bells };
    this.#shared.set(collection.path, shared);
    return shared;
  }

  #end(path: string, shared: Shared<T>): void {
    shared.informer.close();
    if (this.#shared.get(path) === shared) this.#shared.delete(path);
  }
}
