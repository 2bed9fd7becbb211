import { applyPatch } from "../apply-patch.ts";
import { type JsonObject, textOf } from "../json.ts";
import { kubeEventCauses, kubeEventChanges, kubeEvents } from "../kube-event.ts";
import type { KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest, invalid, modified } from "../refusals.ts";
import type { Ref } from "../resource.ts";
import type { StatusCause } from "../status.ts";
import { answer, type Call } from "./call.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import { admitCreation } from "./namespace-admission.ts";
import { metadataOf, readBody } from "./request-body.ts";
import { staleUid } from "./stale-uid.ts";
import { drafted, written } from "./written-object.ts";

const refOf = ({ info, resource }: Call): Ref => ({
  resource,
  namespace: resource.namespaced ? info.namespace : undefined,
  name: info.name,
});

/** Refuses an Event of events.k8s.io/v1 that breaks the rules; the server checks it as one of core. */
function assertValid(name: string, causes: readonly StatusCause[]): void {
  const [first, ...others] = causes;
  if (first !== undefined) throw invalid({ kind: kubeEvents.kind }, name, [first, ...others]);
}

/** Refuses a write that is only tried, which nobody asks for. */
function assertMeant({ query }: KubeRequest): void {
  if (query.has("dryRun")) throw badRequest("the sandbox tries no writes");
}

/** Serves creations, updates and patches. */
export class Writes {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  create(call: Call): KubeResponse {
    const { resource, info, request, shown } = call;
    assertMeant(request);
    const body = readBody(request.body);
    const metadata = metadataOf(body);
    const { name: asked } = metadata;
    const name = textOf(asked);
    admitCreation(this.#store, call, name);
    const { namespace } = info;
    const placed = { ...body, metadata: { ...metadata, ...(namespace ? { namespace } : {}) } };
    if (resource === kubeEvents) assertValid(name, kubeEventCauses(placed));
    const made = this.#store.create(resource, drafted(resource, placed));
    return answer(201, shown.one(made) as JsonObject);
  }

  update(call: Call): KubeResponse {
    return this.#write(call, () => readBody(call.request.body));
  }

  patch(call: Call): KubeResponse {
    const { headers, body } = call.request;
    const mediaType = (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
    return this.#write(
      call,
      (before) => applyPatch(mediaType, before as unknown as JsonObject, body) as JsonObject,
    );
  }

  #write(call: Call, change: (before: KubeObject) => JsonObject): KubeResponse {
    const { resource, info, request, shown } = call;
    assertMeant(request);
    const ref = refOf(call);
    const before = this.#store.get(ref);
    const next = change(before);
    this.#assertSame(call, before, metadataOf(next));
    const after = written(call, next, before);
    if (resource === kubeEvents) {
      const changes = kubeEventChanges(after, before as unknown as JsonObject);
      assertValid(info.name, [...kubeEventCauses(after), ...changes]);
    }
    const stored = this.#store.update(ref, () => after as unknown as KubeObject);
    return answer(200, shown.one(stored) as JsonObject);
  }

  /** Refuses an object whose UID or version does not fit the stored object. */
  #assertSame({ resource, info }: Call, before: KubeObject, told: JsonObject): void {
    const { uid, resourceVersion } = told;
    const { metadata } = before;
    const isOld = resourceVersion && resourceVersion !== metadata.resourceVersion;
    if (isOld) throw modified(resource, info.name);
    if (uid && uid !== metadata.uid) throw staleUid(resource, before, uid);
  }
}
