import { Semaphore } from "../http/semaphore.ts";

// A webhook or a budget of one namespace may make each of its requests last half a minute.
const [mostOfAll, mostOfOne] = [90, 30];

// An API server takes a hundred requests on a connection, and watches may take most of them.
const mostAmongOthers = 10;

/** The room for evictions and deletions of pods that are under way at once, of which no namespace has more than a third. */
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
    const own = this.#own.get(namespace) ?? new Semaphore(() => mostOfOne);
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

  async #placed<T>(work: (place: "among others" | "apart") => Promise<T>): Promise<T> {
    if (this.#amongOthers >= mostAmongOthers) return work("apart");
    this.#amongOthers += 1;
    return work("among others").finally(() => {
      this.#amongOthers -= 1;
    });
  }
}
