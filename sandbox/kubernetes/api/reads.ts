import { later, seconds } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import type { JsonObject } from "../json.ts";
import type { ObjectStore } from "../object-store.ts";
import { apiVersion } from "../resource.ts";
import { ApiError } from "../status.ts";
import { answer, type ResourceCall } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import { listOptions, versionOf } from "./list-options.ts";
import { listPage } from "./list-page.ts";

/** How long the server waits for a version that it has not reached. */
const patience = seconds(3);

function tooLarge(asked: number, current: number): ApiError {
  return new ApiError({
    code: 504,
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    reason: "Timeout",
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

/** Serves gets and lists. */
export class Reads {
  readonly #timeline: Timeline;
  readonly #store: ObjectStore;

  constructor(timeline: Timeline, store: ObjectStore) {
    this.#timeline = timeline;
    this.#store = store;
  }

  async get({ request, info, resource, shown }: ResourceCall): Promise<KubeResponse> {
    await this.#reach(versionOf(request.query.get("resourceVersion") ?? ""));
    const { name } = info;
    const namespace = resource.namespaced ? info.namespace : undefined;
    return answer(200, shown.one(this.#store.get({ resource, namespace, name })) as JsonObject);
  }

  async list({ request, info, resource, shown }: ResourceCall): Promise<KubeResponse> {
    const options = listOptions(resource, info, request.query);
    await this.#reach(options.resourceVersion);
    const { namespace } = info;
    const { items, metadata } = listPage(this.#store, resource, { ...options, namespace });
    const type = shown.listOf(resource.kind, apiVersion(resource));
    return answer(200, { ...type, metadata, items: items.map((item) => shown.item(item)) });
  }

  /** Waits a while for a version that the store has not reached, then refuses it. */
  async #reach(revision = 0): Promise<void> {
    if (revision <= this.#store.revision) return;
    const deadline = later(this.#timeline.now(), patience);
    await new Promise<void>((resolve) => this.#timeline.schedule(deadline, resolve));
    const { revision: current } = this.#store;
    if (revision > current) throw tooLarge(revision, current);
  }
}
