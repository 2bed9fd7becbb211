import { applyPatch } from "../apply-patch.ts";
import { events } from "../core-resources.ts";
import { isObject, type Json, type JsonObject, textOf } from "../json.ts";
import { changeCauses } from "../kind-rules.ts";
import { kubeEvents } from "../kube-event.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest, internal, invalid, modified } from "../refusals.ts";
import type { Ref, Resource } from "../resource.ts";
import type { StatusCause } from "../status.ts";
import { causesAgainst } from "../validation.ts";
import { answer, type Call } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import { admitCreation } from "./namespace-admission.ts";
import { assertNamespace, metadataOf, readBody, triesOnly } from "./request-body.ts";
import { staleUid } from "./stale-uid.ts";
import { drafted, written } from "./written-object.ts";

const refOf = ({ info, resource }: Call): Ref => ({
  resource,
  namespace: resource.namespaced ? info.namespace : undefined,
  name: info.name,
});

function assertValid(resource: Resource, name: string, causes: readonly StatusCause[]): void {
  const [first, ...others] = causes;
  // An Event of whatever group is checked as one of core.
  const { kind, group } = resource;
  const subject = kind === events.kind ? { kind } : { kind, group };
  if (first !== undefined) throw invalid(subject, name, [first, ...others]);
}

/** Serves creations, updates and patches. */
export class Writes {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  create(call: Call): KubeResponse {
    const { resource, info, request, shown } = call;
    const body = readBody(resource.kind, request.body);
    assertNamespace(body, info.namespace);
    const metadata = metadataOf(body);
    const { name = "", resourceVersion } = metadata;
    admitCreation(this.#store, call, textOf(name));
    if (resourceVersion) {
      throw internal("resourceVersion should not be set on objects to be created");
    }
    const { namespace } = info;
    const placed = { ...body, metadata: { ...metadata, ...(namespace ? { namespace } : {}) } };
    assertValid(resource, textOf(name), causesAgainst(resource.kind, placed));
    const draft = drafted(resource, placed);
    const made = triesOnly(request.query)
      ? this.#try(resource, draft)
      : this.#store.create(resource, draft);
    return answer(201, shown.one(made) as JsonObject);
  }

  update(call: Call): KubeResponse {
    const { resource, info, request } = call;
    const body = readBody(resource.kind, request.body);
    assertNamespace(body, info.namespace);
    const { name } = metadataOf(body);
    if (!name) {
      throw badRequest(
        `the name of the object (${info.name} based on URL) was undeterminable: name must be provided`,
      );
    }
    return this.#write(call, () => body);
  }

  patch(call: Call): KubeResponse {
    const { headers, body } = call.request;
    const mediaType = (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
    return this.#write(call, (before) =>
      applyPatch(mediaType, before as unknown as JsonObject, body),
    );
  }

  #try(resource: Resource, draft: Draft<KubeObject>): KubeObject {
    const made = this.#store.draft(resource, draft);
    const { namespace, name } = made.metadata;
    this.#store.assertFree({ resource, namespace, name });
    return made;
  }

  #write(call: Call, change: (before: KubeObject) => Json): KubeResponse {
    const { resource, info, request, shown } = call;
    const ref = refOf(call);
    const before = this.#store.get(ref);
    const next = change(before);
    if (!isObject(next)) throw badRequest("json: cannot unmarshal into Go value");
    this.#assertSame(call, before, metadataOf(next));
    const after = written(call, next, before);
    const causes = causesAgainst(resource.kind, after);
    const changes = changeCauses(after, before as unknown as JsonObject);
    // The real API server validates an update twice, and reports each of these causes twice; but not of an Event.
    const again = resource === kubeEvents ? [] : causes;
    assertValid(resource, info.name, [...causes, ...again, ...changes]);
    const kept = () => after as unknown as KubeObject;
    const stored = triesOnly(request.query)
      ? this.#store.changed(ref, kept)
      : this.#store.update(ref, kept);
    return answer(200, shown.one(stored) as JsonObject);
  }

  /** Refuses an object whose name, UID or version does not fit the stored object. */
  #assertSame({ resource, info, request }: Call, before: KubeObject, told: JsonObject): void {
    const { name, uid, resourceVersion } = told;
    if (name !== info.name) {
      throw badRequest(
        `the name of the object (${textOf(name)}) does not match the name on the URL (${info.name})`,
      );
    }
    const { method } = request;
    const { metadata } = before;
    const isOld = resourceVersion && resourceVersion !== metadata.resourceVersion;
    // The server checks an update's UID before its version, and a patch's version before its UID.
    if (isOld && method === "PATCH") throw modified(resource, info.name);
    if (uid && uid !== metadata.uid) throw staleUid(resource, before, { method, uid });
    if (isOld) throw modified(resource, info.name);
  }
}
