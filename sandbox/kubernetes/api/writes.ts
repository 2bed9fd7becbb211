import { isObject, type JsonObject, type JsonValue, textOf } from "../json.ts";
import { kubeEventCauses, kubeEventChanges, kubeEvents } from "../kube-event.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest, invalid, modified } from "../refusals.ts";
import type { Ref, Resource } from "../resource.ts";
import { ApiError, type StatusCause } from "../status.ts";
import { answer, type ResourceCall } from "./call.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import { admitCreation } from "./namespace-admission.ts";
import { metadataOf, readBody } from "./request-body.ts";

/** The error for a patch with a UID that is not the object's; the server gives its cause twice. */
function staleUid(resource: Resource, { metadata }: KubeObject, uid: JsonValue): ApiError {
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  const cause = { reason: "FieldValueInvalid", message, field: "metadata.uid" };
  return invalid(resource, metadata.name, [cause, cause]);
}

/** The metadata fields that only the server writes. */
const serversOwn = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

/** Drops empty lists and maps, as Go does. */
const tidy = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(metadata).filter(
      ([, value]) => typeof value !== "object" || Object.keys(value ?? {}).length > 0,
    ),
  );

/** The object after a write, which leaves the server's fields and what the path excludes as is. */
function written(
  { resource, info }: Pick<ResourceCall, "resource" | "info">,
  next: JsonObject,
  before: KubeObject,
): JsonObject {
  const old = before as unknown as JsonObject;
  const kept = serversOwn.map((field) => [field, metadataOf(old)[field]] as const);
  const held = kept.filter(([, value]) => value !== undefined);
  const asked = Object.entries(metadataOf(next)).filter(([field]) => !serversOwn.includes(field));
  const metadata = tidy({ ...Object.fromEntries(asked), ...Object.fromEntries(held) });
  const body = { ...next, kind: before.kind, apiVersion: before.apiVersion, metadata };
  if (!resource.statusSubresource) return body;
  const { status, spec } = old;
  return info.subresource === "status" ? { ...body, spec } : { ...body, status };
}

/** A new object with only the fields that a client may set. */
function drafted(resource: Resource, body: JsonObject): Draft<KubeObject> {
  const { kind: _, apiVersion: __, status, ...rest } = body;
  const said = Object.entries(metadataOf(body)).filter(([field]) => !serversOwn.includes(field));
  // Of objects with a status subresource, only a new node keeps its status: its kubelet sends it.
  const kept = resource.statusSubresource && resource.kind !== "Node" ? {} : { status };
  const metadata = tidy(Object.fromEntries(said));
  return { ...rest, ...(status === undefined ? {} : kept), metadata } as Draft<KubeObject>;
}

const unsupported = (): ApiError =>
  new ApiError({
    code: 415,
    message: "415: Unsupported Media Type",
    reason: "UnsupportedMediaType",
    details: {},
  });

/** A JSON merge patch: null removes, lists are replaced (RFC 7386). */
function merged(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const result: Record<string, JsonValue | undefined> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/**
 * Applies a merge patch; the function marks nodes with them.
 *
 * Refuses every other kind as the API server refuses one that it does not know.
 */
function applyPatch(mediaType: string, target: JsonObject, body: string): JsonValue {
  if (mediaType !== "application/merge-patch+json") throw unsupported();
  return merged(target, readBody(body));
}

const refOf = ({ info, resource }: ResourceCall): Ref => ({
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

  create(call: ResourceCall): KubeResponse {
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

  update(call: ResourceCall): KubeResponse {
    return this.#write(call, () => readBody(call.request.body));
  }

  patch(call: ResourceCall): KubeResponse {
    const { headers, body } = call.request;
    const mediaType = (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
    return this.#write(
      call,
      (before) => applyPatch(mediaType, before as unknown as JsonObject, body) as JsonObject,
    );
  }

  #write(call: ResourceCall, change: (before: KubeObject) => JsonObject): KubeResponse {
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
  #assertSame({ resource, info }: ResourceCall, before: KubeObject, told: JsonObject): void {
    const { uid, resourceVersion } = told;
    const { metadata } = before;
    const isOld = resourceVersion && resourceVersion !== metadata.resourceVersion;
    if (isOld) throw modified(resource, info.name);
    if (uid && uid !== metadata.uid) throw staleUid(resource, before, uid);
  }
}
