import type { Clock } from "../base/clock.port.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import type { KubeClient } from "./kube-client.ts";
import type { WatchBounds } from "./kube-connection.ts";
import type { WatchQuery } from "./kube-watch.ts";
import { type WatchEvent, watchEventOf } from "./watch-event-schema.ts";

/** The collection to watch, the query, and what the watch goes by. */
export interface Watch extends WatchBounds {
  readonly path: string;
  readonly query: WatchQuery;
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
  { path, query, ...bounds }: Watch,
  tools: WatchTools,
): Promise<void> {
  const { client, clock, onEvent } = tools;
  const asked = { ...query, allowWatchBookmarks: true, timeoutSeconds };
  const began = clock.now();
  let events = 0;
  await client.once(async (connection) => {
    for await (const line of connection.watch(path, asked, bounds)) {
      events += 1;
      onEvent(watchEventOf(line));
    }
  });
  if (events === 0 && clock.now() < began + shortestWatch)
    throw new ConnectionError("the watch ended at once", { reason: "reset" });
}
