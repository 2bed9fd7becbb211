import { pods } from "../core-resources.ts";
import type { DeleteOptions, Deleter } from "../deletion.ts";
import type { EvictionSubresource } from "../eviction.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest, forbidden, internal } from "../refusals.ts";
import { success } from "../status.ts";
import { answer, type Call } from "./call.ts";
import { deleteOptions, deleteOptionsFrom } from "./delete-options.ts";
import type { KubeResponse } from "./exchange.ts";
import { admitCreation } from "./namespace-admission.ts";
import { assertNamespace, metadataOf, readBody } from "./request-body.ts";

const immortal = ["default", "kube-system", "kube-public"];

/** The dry-run option of the body or the query; an error if the two differ. */
function withDryRun(options: DeleteOptions, query: URLSearchParams): DeleteOptions {
  const asked = query.getAll("dryRun");
  const told = options.dryRun ?? [];
  if (told.length === 0) return { ...options, dryRun: asked };
  if (asked.length === 0 || asked.join() === told.join()) return options;
  throw internal(
    `Non-matching dry-run options in request and content: [${asked.join(" ")}] and [${told.join(" ")}]`,
  );
}

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
    if (resource.kind === "Namespace" && immortal.includes(name)) {
      throw forbidden(resource, name, { why: "this namespace may not be deleted" });
    }
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
    const body = readBody("Eviction", request.body);
    assertNamespace(body, info.namespace);
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
