import { pods } from "../core-resources.ts";
import type { DeleteOptions, Deleter } from "../deletion.ts";
import type { EvictionSubresource } from "../eviction.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { ObjectStore } from "../object-store.ts";
import { badRequest } from "../refusals.ts";
import { success } from "../status.ts";
import { answer, metadataOf, type ResourceCall, readBody, refOf } from "./call.ts";
import type { KubeResponse } from "./exchange.ts";
import { assertPlaced } from "./writes.ts";

const textIn = (value: JsonValue | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** Reads the deletion options from a body. */
function deleteOptions(options: JsonObject): DeleteOptions {
  const { preconditions, dryRun, gracePeriodSeconds: grace } = options;
  const { uid, resourceVersion } = isObject(preconditions) ? preconditions : {};
  return {
    gracePeriodSeconds: typeof grace === "number" ? grace : undefined,
    preconditions: { uid: textIn(uid), resourceVersion: textIn(resourceVersion) },
    ...(Array.isArray(dryRun) ? { dryRun: dryRun.map(String) } : {}),
  };
}

/** Serves a deletion. */
export function deleteOne(deleter: Deleter, call: ResourceCall): KubeResponse {
  const { request, info, resource, shown } = call;
  const options = request.body.trim() === "" ? {} : deleteOptions(readBody(request.body));
  const { object, removed } = deleter.delete(refOf(call), options);
  if (resource.returnsDeleted || !removed) return answer(200, shown.one(object) as JsonObject);
  const { group, plural: kind } = resource;
  const { uid } = object.metadata;
  return answer(
    200,
    success({ details: { name: info.name, group: group || undefined, kind, uid } }),
  );
}

/** Serves an eviction. */
export function evictOne(
  store: ObjectStore,
  evictions: EvictionSubresource,
  call: ResourceCall,
): KubeResponse {
  const { namespace, name } = call.info;
  const body = readBody(call.request.body);
  const { deleteOptions: asked } = body;
  assertPlaced(store, call);
  const { name: told } = metadataOf(body);
  if (told !== name) throw badRequest("name in URL does not match name in Eviction object");
  const options = deleteOptions(isObject(asked) ? asked : {});
  return answer(201, evictions.evict({ resource: pods, namespace, name }, options));
}
