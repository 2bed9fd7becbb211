import type { Clock } from "../base/clock.port.ts";
import type { Duration, Instant } from "../base/time.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import type { KubeClient } from "./kube-client.ts";
import type { WatchQuery } from "./kube-watch.ts";
import { type WatchEvent, watchEventOf } from "./watch-event-schema.ts";

/** Calls back once nothing has been heard for a while: a stream of many items is slow, but not silent. */
export class Silence {
  readonly #clock: Pick<Clock, "now">;
  readonly #patience: Duration;
  readonly #callBack: () => void;
  #heard: Instant;
  #timer: NodeJS.Timeout;

  constructor(clock: Pick<Clock, "now">, patience: Duration, callBack: () => void) {
    this.#clock = clock;
    this.#patience = patience;
    this.#callBack = callBack;
    this.#heard = clock.now();
    this.#timer = this.#wait(patience);
  }

  /** Something has been heard. */
  heard(): void {
    this.#heard = this.#clock.now();
  }

  /** Nobody listens any more. */
  over(): void {
    clearTimeout(this.#timer);
  }

  #wait(time: number): NodeJS.Timeout {
    return setTimeout(() => {
      const left = this.#patience - (this.#clock.now() - this.#heard);
      if (left <= 0) this.#callBack();
      else this.#timer = this.#wait(left);
    }, time);
  }
}

/** The collection to watch, the query, and the signal that ends the watch. */
export interface Watch {
  readonly path: string;
  readonly query: WatchQuery;
  readonly signal: AbortSignal;
}

/** What a watch needs, and the listener for its events. */
export interface WatchTools {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent) => void;
}

const timeoutSeconds = 240;
const shortestWatch = 5000;

/** Watches until the server ends the watch, which the server does from time to time. */
export async function watchOnce(
  { path, query, signal }: Watch,
  { client, clock, onEvent }: WatchTools,
): Promise<void> {
  const asked = { ...query, allowWatchBookmarks: true, timeoutSeconds };
  const began = clock.now();
  let events = 0;
  await client.once(async (connection) => {
    for await (const line of connection.watch(path, asked, signal)) {
      events += 1;
      onEvent(watchEventOf(line));
    }
  });
  if (events === 0 && clock.now() < began + shortestWatch)
    throw new ConnectionError("the watch ended at once", { reason: "reset" });
}
