import { type Instant, instant, seconds } from "../../../domain/time.ts";
import { Fault } from "../../../fault.ts";
import { Bell } from "../../../ports/bell.ts";
import type { Clock } from "../../../ports/clock.ts";
import { ConnectionError } from "../../http/connection-error.ts";
import type { KubeClient } from "../connection/kube-client.ts";
import { kubeFault, tryRefusal } from "../connection/kube-fault.ts";
import type { WatchQuery } from "../connection/kube-watch.ts";
import { type Collection, listAll } from "./collection.ts";
import { Store } from "./store.ts";
import { type WatchEvent, watchEventOf } from "./watch-event-schema.ts";

/** What a collection is followed with. */
export interface InformerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Rings at every change. */
  readonly bell: Bell;
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists */
const fromTheStart = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
// A server that ignores the wish never says when all has been told.
const streamPatience = 5000;
const watchLasts = 240;
const shortestWatch = 5000;
const mostFailures = 5;

/** Keeps a collection up to date: a list, then a watch, then whatever it takes to go on. */
export class Informer<T> {
  readonly #collection: Collection<T>;
  readonly #following: InformerOptions;
  readonly #ended = new AbortController();
  readonly #items: Store<T>;
  #version = "";
  #listed = instant(0);
  /** `stale` when the version that was reached is too old to go on from. */
  #state: "fresh" | "stale" = "fresh";
  readonly #closing = new Bell();
  #whenKnown: () => void = () => undefined;
  #fault: Fault | undefined;

  constructor(collection: Collection<T>, following: InformerOptions) {
    this.#collection = collection;
    this.#following = following;
    this.#items = new Store(collection.uid);
  }

  /** Gets to know the collection and goes on following it until it is closed. */
  async start(): Promise<void> {
    if (this.#collection.start === "streamed" && (await this.#stream()) === "known") return;
    await this.list();
    void this.#follow();
  }

  /** One watch that begins with all there is, where the server knows how: it saves the list. */
  async #stream(): Promise<"known" | "not understood"> {
    const { promise, resolve } = Promise.withResolvers<"known" | "not understood">();
    const waited = new AbortController();
    const timer = setTimeout(() => waited.abort(), streamPatience);
    this.#whenKnown = () => resolve("known");
    const ended = this.#watchOnce(fromTheStart, waited.signal)
      .catch(() => undefined)
      .finally(() => resolve("not understood"));
    const answer = await promise;
    clearTimeout(timer);
    if (answer === "known") void ended.then(() => this.#follow());
    return answer;
  }

  /** The items as last heard; throws the fault that ended the following. */
  items(): readonly T[] {
    if (this.#fault !== undefined) throw this.#fault;
    return this.#items.all();
  }

  /** When they were last listed as a whole. */
  listed(): Instant {
    return this.#listed;
  }

  close(): void {
    this.#ended.abort();
    this.#closing.ring();
  }

  /** Lists the collection anew, page by page; a list that grew too old in between is started over. */
  async list(): Promise<void> {
    const collection = this.#collection;
    const asked = this.#following.clock.now();
    const { items, resourceVersion: version } = await this.#following.client.ask(
      `listing ${collection.title}`,
      (connection) =>
        listAll(collection, connection).catch((cause: unknown) => {
          if (tryRefusal(cause)?.code !== 410) throw cause;
          return listAll(collection, connection);
        }),
    );
    this.#items.list(items, Number(version));
    // A watch that has come further than the list goes on from there.
    if (this.#state === "stale" || Number(version) > Number(this.#version)) this.#version = version;
    this.#listed = asked;
  }

  async #follow(): Promise<void> {
    for (let failures = 0; !this.#ended.signal.aborted; ) {
      try {
        await this.#watchOn();
        failures = 0;
      } catch (cause) {
        failures += 1;
        if (failures > mostFailures) return this.#fail(cause);
        await this.#rest(failures);
      }
    }
  }

  /** Watches from where the list or the last watch ended. */
  async #watchOn(): Promise<void> {
    if (this.#state === "stale") await this.#relist();
    await this.#watchOnce({ resourceVersion: this.#version }, this.#ended.signal);
  }

  /** Watches until the server ends it, as it does by itself from time to time. */
  async #watchOnce(from: WatchQuery, until: AbortSignal): Promise<void> {
    const { client, clock } = this.#following;
    const { path, query } = this.#collection;
    const asked = { ...query, ...from, allowWatchBookmarks: true, timeoutSeconds: watchLasts };
    const signal = AbortSignal.any([until, this.#ended.signal]);
    const began = clock.now();
    let heard = 0;
    try {
      await client.once(async (connection) => {
        for await (const line of connection.watch(path, asked, signal)) {
          heard += 1;
          this.#hear(watchEventOf(line));
        }
      });
    } catch (cause) {
      if (tryRefusal(cause)?.code === 410) this.#state = "stale";
      throw cause;
    }
    if (heard === 0 && clock.now() < began + shortestWatch) throw cutShort();
  }

  #hear(event: WatchEvent): void {
    if (event.kind === "error") {
      this.#state = "stale";
      throw new Fault("cluster.refused", `watching ${this.#collection.title}: ${event.message}`);
    }
    this.#version = event.version;
    if (event.kind === "known") this.#whenKnown();
    if (event.kind === "bookmark" || event.kind === "known") return;
    const item = this.#collection.read(event.object);
    const { kind, version } = event;
    if (this.#items.hear({ kind, item, version: Number(version) }) === "news")
      this.#following.bell.ring();
  }

  async #relist(): Promise<void> {
    await this.list();
    this.#state = "fresh";
    this.#following.bell.ring();
  }

  #fail(cause: unknown): void {
    this.#fault = kubeFault(`watching ${this.#collection.title}`, cause);
    this.#following.bell.ring();
  }

  /** Half a second, then twice as long each time. */
  #rest(failures: number): Promise<void> {
    const { clock } = this.#following;
    const until = instant(clock.now() + seconds(2 ** (failures - 2)));
    return clock.sleep(until, this.#closing);
  }
}

const cutShort = (): ConnectionError =>
  new ConnectionError("the watch ended at once", { reason: "reset" });
