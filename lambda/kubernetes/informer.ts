import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import { type Instant, instant, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { Collection } from "./collection.ts";
import type { KubeClient } from "./kube-connection.ts";
import { kubeFault, tryRefusal } from "./kube-fault.ts";
import type { WatchQuery } from "./kube-watch.ts";
import { listWithin, portionsOf, queryWithout } from "./listed-within.ts";
import type { Portions } from "./portions.ts";
import { Store } from "./store.ts";
import { Silence, type WatchEvent, watchOnce } from "./watch-once.ts";

/** The tools of every informer. */
export interface InformerTools {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** Is notified of every change: the item before and after it, or `all` if any may have changed, as `Wakeup` is. */
export interface Listener<T> {
  notify(news: readonly T[] | "all"): void;
}

/** The options of an informer that follows a collection. */
export interface InformerOptions<T> extends InformerTools {
  readonly wakeup: Listener<T>;
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
const fromTheStart = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
// A server without support for `sendInitialEvents` never says when it has sent them all.
const streamTimeout = seconds(5);
const mostFailures = 5;

/** Keeps a collection up to date: lists it, watches it, and starts over when a watch cannot go on. */
export class Informer<T> {
  readonly #collection: Collection<T>;
  readonly #options: InformerOptions<T>;
  readonly #ended = new AbortController();
  readonly #items: Store<T>;
  #portions: Portions<T> | undefined;
  /** Owners of so many items that theirs are no longer followed. */
  readonly #leftOut = new Set<string>();
  #version = "";
  #listed = instant(0);
  /** `stale` when the server no longer has the changes since our version. */
  #state: "fresh" | "stale" = "fresh";
  readonly #closing = new Wakeup();
  #onSynced: () => void = () => undefined;
  #silence: Silence | undefined;
  #fault: Fault | undefined;

  constructor(collection: Collection<T>, options: InformerOptions<T>) {
    this.#collection = collection;
    this.#options = options;
    this.#items = new Store(collection.uid);
    this.#portions = portionsOf(collection);
  }

  /** Learns all items, and then follows the collection until it is closed. */
  async start(): Promise<void> {
    if (this.#collection.start === "streamed" && (await this.#stream()) === "synced") return;
    await this.list();
    this.#state = "fresh";
    void this.#follow();
  }

  /** Starts a watch that begins with all items, which saves the list if the server can do it. */
  async #stream(): Promise<"synced" | "not understood"> {
    const { promise, resolve } = Promise.withResolvers<"synced" | "not understood">();
    const waited = new AbortController();
    const silence = new Silence(this.#options.clock, streamTimeout, () => waited.abort());
    this.#silence = silence;
    this.#onSynced = () => resolve("synced");
    const ended = this.#watchOnce(fromTheStart, waited.signal)
      .catch(() => undefined)
      .finally(() => resolve("not understood"));
    const answer = await promise;
    silence.over();
    if (answer === "synced") void ended.then(() => this.#follow());
    return answer;
  }

  /** The latest items; throws the fault that ended the informer. */
  items(): readonly T[] {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#items.all();
  }

  /** Whether a fault has ended it, so that it follows nothing any more. */
  isOver(): boolean {
    return this.#fault !== undefined;
  }

  /** Owners of so many items that theirs are no longer followed. */
  leftOut(): ReadonlySet<string> {
    return this.#leftOut;
  }

  /** When the items were last listed as a whole. */
  listed(): Instant {
    return this.#listed;
  }

  close(): void {
    this.#ended.abort();
    this.#closing.notify();
  }

  /** Lists the collection again. If its next page has expired (410), it starts over once. */
  list(): Promise<void> {
    return this.#items.during(() => this.#list());
  }

  async #list(): Promise<void> {
    const collection = this.#collection;
    const { client, clock } = this.#options;
    const asked = clock.now();
    const limits = {
      query: () => this.#query(),
      leaveOut: (item: T) => this.#leaveOut(item),
      isLeftOut: (item: T) => this.#isLeftOut(item),
    };
    const {
      items,
      resourceVersion: version,
      portions,
    } = await client.ask(`listing ${collection.title}`, (connection) =>
      listWithin(collection, connection, limits).catch((cause: unknown) => {
        if (tryRefusal(cause)?.code !== 410) throw cause;
        return listWithin(collection, connection, limits);
      }),
    );
    this.#portions = portions;
    this.#items.replace(items, Number(version));
    // A watch that is ahead of the list goes on from its own version.
    if (this.#state === "stale" || Number(version) > Number(this.#version)) this.#version = version;
    this.#listed = asked;
  }

  #query(): WatchQuery {
    return queryWithout(this.#collection, this.#leftOut);
  }

  #rest(): string {
    const { portion } = this.#collection;
    if (portion === undefined || this.#leftOut.size === 0) return "all";
    return portion.without([...this.#leftOut]);
  }

  #leaveOut(item: T): void {
    const { portion } = this.#collection;
    if (portion === undefined) return;
    const owner = portion.of(item);
    this.#leftOut.add(owner);
    this.#items.remove((one) => portion.of(one) === owner);
    this.#state = "stale";
  }

  #isLeftOut(item: T): boolean {
    const { portion } = this.#collection;
    return portion !== undefined && this.#leftOut.has(portion.of(item));
  }

  async #follow(): Promise<void> {
    for (let failures = 0; !this.#ended.signal.aborted; ) {
      const before = this.#leftOut.size;
      try {
        if (this.#state === "stale") await this.#relist();
        await this.#watchOnce({ resourceVersion: this.#version }, this.#ended.signal);
        failures = 0;
      } catch (cause) {
        failures += this.#failuresSince(before);
        if (this.#isVain(failures)) return this.#fail(cause);
        await this.#backOff(failures);
      }
    }
  }

  /** Leaving objects out is no failure: the others are still followed. */
  #failuresSince(leftOut: number): 0 | 1 {
    return this.#leftOut.size > leftOut ? 0 : 1;
  }

  #isVain(failures: number): boolean {
    return failures > mostFailures || this.#rest() === "nothing";
  }

  async #watchOnce(from: WatchQuery, until: AbortSignal): Promise<void> {
    const { path } = this.#collection;
    const query = this.#query();
    const signal = AbortSignal.any([until, this.#ended.signal]);
    const onEvent = (event: WatchEvent) => this.#apply(event);
    try {
      const watch = { path, query: { ...query, ...from }, signal };
      await watchOnce(watch, { ...this.#options, onEvent });
    } catch (cause) {
      if (tryRefusal(cause)?.code === 410) this.#state = "stale";
      throw cause;
    }
  }

  #apply(event: WatchEvent): void {
    if (event.kind === "error") {
      this.#state = "stale";
      throw new Fault("cluster.refused", `watching ${this.#collection.title}: ${event.message}`);
    }
    this.#version = event.version;
    this.#silence?.heard();
    if (event.kind === "synced") this.#onSynced();
    if (event.kind === "bookmark" || event.kind === "synced") return;
    const item = this.#collection.read(event.object);
    if (this.#isLeftOut(item)) return;
    const { kind, version } = event;
    const news = this.#items.apply({ kind, item, version: Number(version) });
    if (news.length === 0) return;
    if (this.#counted(kind, item) === "too much") {
      this.#leaveOut(item);
      throw new Fault(
        "cluster.refused",
        `watching ${this.#collection.title}: too many or too large`,
      );
    }
    this.#options.wakeup.notify(news);
  }

  #counted(kind: "changed" | "deleted", item: T): "fits" | "too much" {
    const portions = this.#portions;
    if (portions === undefined) return "fits";
    const uid = this.#collection.uid(item);
    if (portions.arrive(item, this.#options.clock.now()) === "too much") return "too much";
    if (kind === "changed") return portions.keep(uid, item);
    portions.drop(uid, item);
    return "fits";
  }

  async #relist(): Promise<void> {
    await this.list();
    this.#state = "fresh";
    this.#options.wakeup.notify("all");
  }

  #fail(cause: unknown): void {
    this.#fault = kubeFault(`watching ${this.#collection.title}`, cause);
    this.#options.wakeup.notify("all");
  }

  /** Waits half a second, then twice as long each time, or until it is closed. */
  #backOff(failures: number): Promise<void> {
    const { clock } = this.#options;
    const until = instant(clock.now() + seconds(2 ** (failures - 2)));
    return clock.sleep(until, this.#closing);
  }
}
