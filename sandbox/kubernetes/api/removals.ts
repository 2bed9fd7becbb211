import { pods } from "../core-resources.ts";
import type { DeleteOptions, Deleter } from "../deletion.ts";
import type { EvictionSubresource } from "../eviction.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { ObjectStore } from "../object-store.ts";
import { success } from "../status.ts";
import { answer, type Call } from "./call.ts";
import { deleteOptions, deleteOptionsFrom } from "./delete-options.ts";
import type { KubeResponse } from "./exchange.ts";
import { admitCreation } from "./namespace-admission.ts";
import { readBody } from "./request-body.ts";

/** The dry-run option of the body or the query. */
const withDryRun = (options: DeleteOptions, query: URLSearchParams): DeleteOptions =>
  options.dryRun?.length ? options : { ...options, dryRun: query.getAll("dryRun") };

/** Serves deletions and evictions. */
export class Removals {
  readonly #store: ObjectStore;
  readonly #deleter: Deleter;
  readonly #evictions: EvictionSubresource;

  constructor(store: ObjectStore, deleter: Deleter, evictions: EvictionSubresource) {
    this.#store = store;
    this.#deleter = deleter;
    this.#evictions = evictions;
  }

  delete({ request, info, resource, shown }: Call): KubeResponse {
    const { name } = info;
    const namespace = resource.namespaced ? info.namespace : undefined;
    const options = deleteOptions(request.body, request.query);
    const { object, removed } = this.#deleter.delete({ resource, namespace, name }, options);
    if (resource.returnsDeleted || !removed) return answer(200, shown.one(object) as JsonObject);
    const { group, plural: kind } = resource;
    const { uid } = object.metadata;
    return answer(200, success({ details: { name, group: group || undefined, kind, uid } }));
  }

  async evict(call: Call): Promise<KubeResponse> {
    const { request, info } = call;
    const { deleteOptions: asked } = readBody(request.body);
    const wished = deleteOptionsFrom(isObject(asked) ? asked : {});
    admitCreation(this.#store, call, info.name);
    const { namespace, name } = info;
    const options = withDryRun(wished, request.query);
    return answer(201, await this.#evictions.evict({ resource: pods, namespace, name }, options));
  }
}
