import { namespaces } from "../core-resources.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { assertEvent, kubeEvents } from "../kube-event.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest, invalid, modified } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { ApiError } from "../status.ts";
import { answer, metadataOf, type ResourceCall, readBody, refOf } from "./call.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";

/** The metadata fields that only the server writes. */
const serversOwn = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
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

/** Refuses a write that is only tried, which nobody asks for. */
function assertMeant({ query }: KubeRequest): void {
  if (query.has("dryRun")) throw badRequest("the sandbox tries no writes");
}

/** Serves a creation, in a namespace that is there. */
export function createOne(store: ObjectStore, call: ResourceCall): KubeResponse {
  const { resource, info, request, shown } = call;
  assertMeant(request);
  assertPlaced(store, call);
  const { namespace } = info;
  const body = readBody(request.body);
  const metadata = { ...metadataOf(body), ...(namespace ? { namespace } : {}) };
  const placed = { ...body, metadata };
  if (resource === kubeEvents) assertEvent(placed);
  const made = store.create(resource, drafted(resource, placed));
  return answer(201, shown.one(made) as JsonObject);
}

/** Refuses a request in a namespace that is not there. */
export function assertPlaced(store: ObjectStore, { info, resource }: ResourceCall): void {
  if (resource.namespaced) store.get({ resource: namespaces, name: info.namespace });
}

/** Serves an update. */
export const updateOne = (store: ObjectStore, call: ResourceCall): KubeResponse =>
  write(store, call, () => readBody(call.request.body));

/** Serves a patch. */
export function patchOne(store: ObjectStore, call: ResourceCall): KubeResponse {
  const { headers, body } = call.request;
  const mediaType = (headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  return write(store, call, (before) => {
    // Each object of the store is JSON, which its type does not say.
    const old = before as unknown as JsonObject;
    return applyPatch(mediaType, old, body) as JsonObject;
  });
}

function write(
  store: ObjectStore,
  call: ResourceCall,
  change: (before: KubeObject) => JsonObject,
): KubeResponse {
  const { resource, request, shown } = call;
  assertMeant(request);
  const ref = refOf(call);
  const before = store.get(ref);
  const next = change(before);
  assertSame(call, before, metadataOf(next));
  const after = written(call, next, before);
  const manager =
    request.query.get("fieldManager") ?? request.headers["user-agent"]?.split("/")[0] ?? "";
  if (resource === kubeEvents) assertEvent(after, before as unknown as JsonObject);
  const stored = store.update(ref, () => after as unknown as KubeObject, manager);
  return answer(200, shown.one(stored) as JsonObject);
}

/** Refuses an object whose UID or version does not fit the stored object. */
function assertSame(
  { resource, info }: ResourceCall,
  { metadata }: KubeObject,
  told: JsonObject,
): void {
  const { uid, resourceVersion } = told;
  const isOld = resourceVersion && resourceVersion !== metadata.resourceVersion;
  if (isOld) throw modified(resource, info.name);
  if (uid && uid !== metadata.uid)
    throw invalid(
      resource,
      info.name,
      `metadata.uid: Invalid value: ${JSON.stringify(uid)}: field is immutable`,
    );
}
