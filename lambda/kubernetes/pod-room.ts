import { Semaphore } from "../http/semaphore.ts";

// A webhook or a budget of a namespace may make each of its requests last half a minute.
const mostOfAll = 90;

// An API server takes a hundred requests on a connection, and watches may take most of them.
const mostAmongOthers = 10;

/** The room for evictions and deletions of pods that are under way at once: each namespace has a third of what others leave free. */
export class PodRoom {
  readonly #all = new Semaphore(() => mostOfAll);
  readonly #own = new Map<string, Semaphore>();
  #amongOthers = 0;

  /** Does some work once there is a place, which is apart from other requests or not; throws the signal's reason if that fires first. */
  async run<T>(
    namespace: string,
    signal: AbortSignal,
    work: (place: "among others" | "apart") => Promise<T>,
  ): Promise<T> {
    const own = this.#own.get(namespace) ?? new Semaphore(() => this.#shareOf(namespace));
    this.#own.set(namespace, own);
    await own.enter(signal);
    try {
      await this.#all.enter(signal);
      return await this.#placed(work).finally(() => this.#all.leave());
    } finally {
      own.leave();
      if (own.inside === 0) this.#own.delete(namespace);
    }
  }

  #shareOf(namespace: string): number {
    let free = mostOfAll;
    for (const [other, { inside }] of this.#own) if (other !== namespace) free -= inside;
    return Math.max(1, free / 3);
  }

  async #placed<T>(work: (place: "among others" | "apart") => Promise<T>): Promise<T> {
    if (this.#amongOthers >= mostAmongOthers) return work("apart");
    this.#amongOthers += 1;
    return work("among others").finally(() => {
      this.#amongOthers -= 1;
    });
  }
}
