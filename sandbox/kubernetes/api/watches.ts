import type { Timeline } from "../../timeline.ts";
import type { ObjectStore } from "../object-store.ts";
import type { Random } from "../random.ts";
import type { Call } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import { listOptions } from "./list-options.ts";
import { WatchFeed, watchTimeout } from "./watch-feed.ts";

const isTrue = (text: string | null): boolean => /^(1|true)$/.test(text ?? "");

/** Opens watches. */
export class Watches {
  readonly #timeline: Timeline;
  readonly #store: ObjectStore;
  readonly #random: Random;

  constructor(timeline: Timeline, store: ObjectStore, random: Random) {
    this.#timeline = timeline;
    this.#store = store;
    this.#random = random;
  }

  watch({ request, info, resource, shown }: Call): KubeResponse {
    const { query } = request;
    const { selects, resourceVersion } = listOptions(resource, info, query);
    const feed = new WatchFeed(this.#timeline, this.#store, {
      resource,
      selects,
      resourceVersion,
      initialEvents: query.get("sendInitialEvents") === "false" ? "not-sent" : "sent",
      bookmarks: isTrue(query.get("allowWatchBookmarks")) ? "sent" : "not-sent",
      timeout: watchTimeout(Number(query.get("timeoutSeconds") ?? 0), this.#random.below(30)),
      shown,
    });
    return {
      kind: "stream",
      status: 200,
      headers: { "content-type": "application/json" },
      open: (sink) => feed.open(sink),
    };
  }
}
