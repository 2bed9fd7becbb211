import type { Clock } from "../base/clock.port.ts";
import type { Duration, Instant } from "../base/time.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import type { KubeClient } from "./kube-connection.ts";
import type { WatchQuery } from "./kube-watch.ts";

/** Calls back once nothing has been heard for a while: a stream of many items is slow, but not silent. */
export class Silence {
  readonly #clock: Pick<Clock, "now">;
  readonly #longestSilence: Duration;
  readonly #callBack: () => void;
  #heard: Instant;
  #timer: NodeJS.Timeout;

  constructor(clock: Pick<Clock, "now">, longestSilence: Duration, callBack: () => void) {
    this.#clock = clock;
    this.#longestSilence = longestSilence;
    this.#callBack = callBack;
    this.#heard = clock.now();
    this.#timer = this.#wait(longestSilence);
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
      const left = this.#longestSilence - (this.#clock.now() - this.#heard);
      if (left <= 0) this.#callBack();
      else this.#timer = this.#wait(left);
    }, time);
  }
}

const timeoutSeconds = 240;
const shortestWatch = 5000;

/** Watches until the server ends the watch, which the server does from time to time. */
export async function watchOnce(
  {
    path,
    query,
    signal,
  }: { readonly path: string; readonly query: WatchQuery; readonly signal: AbortSignal },
  {
    client,
    clock,
    onEvent,
  }: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly onEvent: (event: WatchEvent) => void;
  },
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

/** One event of a watch: an object that changed, a bookmark, or the end of the watch with its code. */
export type WatchEvent =
  | { readonly kind: "changed"; readonly object: unknown; readonly version: string }
  | { readonly kind: "deleted"; readonly object: unknown; readonly version: string }
  | { readonly kind: "bookmark"; readonly version: string }
  /** A streamed watch has sent all that was there when it began. */
  | { readonly kind: "synced"; readonly version: string }
  | { readonly kind: "error"; readonly code: number; readonly message: string };

const initialEventsEnd = "k8s.io/initial-events-end";

const nonsense: WatchEvent = {
  kind: "error",
  code: 0,
  message: "an event of a watch that makes no sense",
};

/** Reads one line of a watch. A line that cannot be read becomes an error, so that the watch starts over. */
export function watchEventOf(line: unknown): WatchEvent {
  // Checked by hand: a drain of 100 pods reads thousands of lines, and a schema would copy each object.
  const { type, object } = fieldsOf(line);
  if (type === "ERROR") return isObject(object) ? errorOf(fieldsOf(object)) : nonsense;
  const { metadata } = fieldsOf(object);
  const { resourceVersion: version, annotations } = fieldsOf(metadata);
  if (typeof version !== "string") return nonsense;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
      return { kind: "changed", object, version };
    case "DELETED":
      return { kind: "deleted", object, version };
    case "BOOKMARK":
      return { kind: initialEventsEnd in fieldsOf(annotations) ? "synced" : "bookmark", version };
    default:
      return nonsense;
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isObject(value) ? Object(value) : {};

const errorOf = ({ code, message }: Readonly<Record<string, unknown>>): WatchEvent => ({
  kind: "error",
  code: typeof code === "number" ? code : 0,
  message: typeof message === "string" ? message : "",
});
