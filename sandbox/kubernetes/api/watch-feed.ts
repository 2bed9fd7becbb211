import {
  type Duration,
  type Instant,
  later,
  longest,
  minutes,
  seconds,
} from "../../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../../timeline.ts";
import type { Change } from "../change-log.ts";
import type { JsonValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import type { Random } from "../random.ts";
import { expired } from "../refusals.ts";
import { apiVersion, type Resource } from "../resource.ts";
import type { ResourceCall } from "./call.ts";
import { encode, type KubeResponse, type Sink } from "./exchange.ts";
import { listOptions } from "./list-options.ts";
import type { Representation } from "./representation.ts";

/** What a watch shows, and for how long. */
export interface WatchOptions {
  readonly resource: Resource;
  readonly selects: (object: KubeObject) => boolean;
  readonly resourceVersion: number | undefined;
  readonly initialEvents: "sent" | "not-sent";
  readonly bookmarks: "sent" | "not-sent";
  readonly timeout: Duration;
  readonly shown: Representation;
}

const bookmarkEvery = minutes(1);
/** A watch that ends gets a last bookmark this long before. */
const beforeTheEnd = seconds(2);

/** A watch gets bookmarks for versions above `floor`, until `end`. */
interface BookmarkSpan {
  readonly floor: number;
  readonly end: Instant;
}

/** One watch: it sends present objects or missed changes first, then every change as it happens. */
export class WatchFeed {
  readonly #timeline: Timeline;
  readonly #store: ObjectStore;
  readonly #resource: Resource;
  readonly #options: WatchOptions;

  constructor(timeline: Timeline, store: ObjectStore, options: WatchOptions) {
    this.#timeline = timeline;
    this.#store = store;
    this.#resource = options.resource;
    this.#options = options;
  }

  /** Starts to write events; the returned function stops the watch. */
  open(sink: Sink): Cancel {
    const { resourceVersion = 0, timeout, bookmarks } = this.#options;
    if (resourceVersion > 0 && resourceVersion < this.#store.log.compacted) {
      this.#refuse(sink, resourceVersion);
      return () => undefined;
    }
    if (resourceVersion === 0) this.#sendPresent(sink);
    else for (const change of this.#store.log.after(resourceVersion)) this.#send(sink, change);
    const floor = this.#store.revision;
    const end = later(this.#timeline.now(), timeout);
    const cancels = [
      this.#store.subscribe((change) => {
        if (change.revision > resourceVersion) this.#send(sink, change);
      }),
      this.#timeline.schedule(end, () => {
        close();
        sink.end();
      }),
      bookmarks === "sent" ? this.#keepMarking(sink, { floor, end }) : () => undefined,
    ];
    const close = (): void => {
      for (const cancel of cancels) cancel();
    };
    return close;
  }

  #write(sink: Sink, type: string, object: JsonValue): void {
    sink.write(encode({ type, object }));
  }

  #sendPresent(sink: Sink): void {
    const { selects, shown, bookmarks, initialEvents } = this.#options;
    if (initialEvents === "not-sent") return;
    for (const object of this.#store.list(this.#resource).filter(selects)) {
      this.#write(sink, "ADDED", shown.one(object));
    }
    if (bookmarks === "sent") this.#mark(sink, { "k8s.io/initial-events-end": "true" });
  }

  #refuse(sink: Sink, resourceVersion: number): void {
    const { compacted } = this.#store.log;
    const { status } = expired(`too old resource version: ${resourceVersion} (${compacted})`);
    this.#write(sink, "ERROR", JSON.parse(JSON.stringify(status)) as JsonValue);
    sink.end();
  }

  /** Sends a change; an object that the selectors no longer match is sent as deleted. */
  #send(sink: Sink, { resource, before, after, revision }: Change): void {
    if (resource !== this.#resource) return;
    const { selects, shown } = this.#options;
    const wasSeen = before !== undefined && selects(before);
    if (after !== undefined && selects(after)) {
      this.#write(sink, wasSeen ? "MODIFIED" : "ADDED", shown.one(after));
    } else if (wasSeen) {
      const metadata = { ...before.metadata, resourceVersion: String(revision) };
      this.#write(sink, "DELETED", shown.one({ ...before, metadata }));
    }
  }

  #mark(sink: Sink, annotations?: Readonly<Record<string, string>>): void {
    const resourceVersion = String(this.#store.revision);
    this.#write(sink, "BOOKMARK", {
      kind: this.#resource.kind,
      apiVersion: apiVersion(this.#resource),
      metadata: { resourceVersion, ...(annotations ? { annotations } : {}) },
      ...this.#resource.nothing,
    });
  }

  /** Sends bookmarks at intervals, but none before the first write after the start of the watch. */
  #keepMarking(sink: Sink, span: BookmarkSpan): Cancel {
    const { floor, end } = span;
    const now = this.#timeline.now();
    const regular = later(now, bookmarkEvery);
    const last = later(end, seconds(-beforeTheEnd / 1000));
    const at = last > now && last < regular ? last : regular;
    let cancel = this.#timeline.schedule(at, () => {
      if (this.#store.revision > floor) this.#mark(sink);
      cancel = this.#keepMarking(sink, span);
    });
    return () => cancel();
  }
}

/** How long a watch lasts: as long as the caller asks, else between half an hour and an hour. */
export const watchTimeout = (asked: number, chance: number): Duration =>
  asked > 0 ? seconds(asked) : longest(minutes(30), minutes(30 + chance));

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

  watch({ request, info, resource, shown }: ResourceCall): KubeResponse {
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
