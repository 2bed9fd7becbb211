import { type Instant, later, minutes, seconds } from "../../../lambda/base/time.ts";
import type { Cancel, Timeline } from "../../timeline.ts";
import type { Change } from "../change-log.ts";
import type { JsonValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import type { Random } from "../random.ts";
import { expired } from "../refusals.ts";
import { apiVersion } from "../resource.ts";
import type { ResourceCall } from "./call.ts";
import { encode, type KubeResponse, type Sink } from "./exchange.ts";
import { listOptions } from "./list-options.ts";

const bookmarkEvery = minutes(1);
/** A watch that ends gets a last bookmark this long before. */
const beforeTheEnd = seconds(2);

/** The needs of watches. */
export interface WatchWorld {
  readonly timeline: Timeline;
  readonly store: ObjectStore;
  readonly random: Random;
}

const isTrue = (text: string | null): boolean => /^(1|true)$/.test(text ?? "");

/** One watch: it sends present objects or missed changes first, then every change as it happens. */
class WatchFeed {
  readonly #world: WatchWorld;
  readonly #call: ResourceCall;
  readonly #selects: (object: KubeObject) => boolean;
  readonly #bookmarks: boolean;

  constructor(world: WatchWorld, call: ResourceCall) {
    const { query } = call.request;
    this.#world = world;
    this.#call = call;
    this.#selects = listOptions(call.resource, call.info, query).selects;
    this.#bookmarks = isTrue(query.get("allowWatchBookmarks"));
  }

  /** Starts to write events; the returned function stops the watch. */
  open(sink: Sink, lasts: number): Cancel {
    const { store, timeline } = this.#world;
    const version = Number(this.#call.request.query.get("resourceVersion") ?? "");
    if (version > 0 && version < store.log.compacted) {
      this.#refuse(sink, version);
      return () => undefined;
    }
    if (version === 0) this.#sendPresent(sink);
    else for (const change of store.log.after(version)) this.#send(sink, change);
    const end = later(timeline.now(), seconds(lasts));
    const cancels = [
      store.subscribe((change) => {
        if (change.revision > version) this.#send(sink, change);
      }),
      timeline.schedule(end, () => {
        close();
        sink.end();
      }),
      this.#bookmarks ? this.#keepMarking(sink, { floor: store.revision, end }) : () => undefined,
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
    const { resource, shown } = this.#call;
    for (const object of this.#world.store.list(resource).filter(this.#selects))
      this.#write(sink, "ADDED", shown.one(object));
    if (this.#bookmarks) this.#mark(sink, { "k8s.io/initial-events-end": "true" });
  }

  #refuse(sink: Sink, version: number): void {
    const { compacted } = this.#world.store.log;
    const { status } = expired(`too old resource version: ${version} (${compacted})`);
    this.#write(sink, "ERROR", JSON.parse(JSON.stringify(status)) as JsonValue);
    sink.end();
  }

  /** Sends a change; an object that the selectors no longer match is sent as deleted. */
  #send(sink: Sink, { resource, before, after, revision }: Change): void {
    if (resource !== this.#call.resource) return;
    const { shown } = this.#call;
    const wasSeen = before !== undefined && this.#selects(before);
    if (after !== undefined && this.#selects(after)) {
      this.#write(sink, wasSeen ? "MODIFIED" : "ADDED", shown.one(after));
    } else if (wasSeen) {
      const metadata = { ...before.metadata, resourceVersion: String(revision) };
      this.#write(sink, "DELETED", shown.one({ ...before, metadata }));
    }
  }

  #mark(sink: Sink, annotations?: Readonly<Record<string, string>>): void {
    const { resource } = this.#call;
    const resourceVersion = String(this.#world.store.revision);
    this.#write(sink, "BOOKMARK", {
      kind: resource.kind,
      apiVersion: apiVersion(resource),
      metadata: { resourceVersion, ...(annotations ? { annotations } : {}) },
      ...resource.nothing,
    });
  }

  /** Sends bookmarks at intervals, but none before the first write after the start of the watch. */
  #keepMarking(sink: Sink, span: { readonly floor: number; readonly end: Instant }): Cancel {
    const { timeline, store } = this.#world;
    const now = timeline.now();
    const regular = later(now, bookmarkEvery);
    const last = later(span.end, seconds(-beforeTheEnd / 1000));
    const at = last > now && last < regular ? last : regular;
    let cancel = timeline.schedule(at, () => {
      if (store.revision > span.floor) this.#mark(sink);
      cancel = this.#keepMarking(sink, span);
    });
    return () => cancel();
  }
}

/** Opens a watch, for as many seconds as the caller asks, else for between half an hour and an hour. */
export function openWatch(world: WatchWorld, call: ResourceCall): KubeResponse {
  const asked = Number(call.request.query.get("timeoutSeconds") ?? 0);
  const lasts = asked > 0 ? asked : 60 * (30 + world.random.below(30));
  const feed = new WatchFeed(world, call);
  return {
    kind: "stream",
    status: 200,
    headers: { "content-type": "application/json" },
    open: (sink) => feed.open(sink, lasts),
  };
}
