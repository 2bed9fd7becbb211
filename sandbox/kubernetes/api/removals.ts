import { pods } from "../core-resources.ts";
import type { DeleteOptions, Deleter } from "../deletion.ts";
import type { EvictionSubresource } from "../eviction.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest } from "../refusals.ts";
import { success } from "../status.ts";
import { answer, type ResourceCall } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import { admitCreation } from "./namespace-admission.ts";
import { metadataOf, readBody } from "./request-body.ts";

const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Reads the deletion options from a body. */
function deleteOptionsFrom(options: JsonObject): DeleteOptions {
  const { preconditions, dryRun, gracePeriodSeconds: grace } = options;
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    preconditions: { uid: textOf(uid), resourceVersion: textOf(resourceVersion) },
    ...(Array.isArray(dryRun) ? { dryRun: dryRun.map(String) } : {}),
  };
}

/** The options of a deletion: those of its body, else those of its query. */
function deleteOptions(body: string, query: URLSearchParams): DeleteOptions {
  if (body.trim() !== "") return deleteOptionsFrom(readBody(body));
  const grace = query.get("gracePeriodSeconds");
  return grace === null ? {} : { gracePeriodSeconds: Number(grace) };
}

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

  delete({ request, info, resource, shown }: ResourceCall): KubeResponse {
    const { name } = info;
    const namespace = resource.namespaced ? info.namespace : undefined;
    const options = deleteOptions(request.body, request.query);
    const { object, removed } = this.#deleter.delete({ resource, namespace, name }, options);
    if (resource.returnsDeleted || !removed) return answer(200, shown.one(object) as JsonObject);
    const { group, plural: kind } = resource;
    const { uid } = object.metadata;
    return answer(200, success({ details: { name, group: group || undefined, kind, uid } }));
  }

  async evict(call: ResourceCall): Promise<KubeResponse> {
    const { request, info } = call;
    const body = readBody(request.body);
    const { deleteOptions: asked } = body;
    const wished = deleteOptionsFrom(isObject(asked) ? asked : {});
    admitCreation(this.#store, call, info.name);
    const { namespace, name } = info;
    const { name: told } = metadataOf(body);
    if (told !== name) throw badRequest("name in URL does not match name in Eviction object");
    const options = withDryRun(wished, request.query);
    return answer(201, await this.#evictions.evict({ resource: pods, namespace, name }, options));
  }
}
