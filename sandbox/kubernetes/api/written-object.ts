import type { JsonObject } from "../json.ts";
import type { Draft, KubeObject } from "../kube-object.ts";
import type { Resource } from "../resource.ts";
import type { Call } from "./call.ts";
import { metadataOf } from "./request-body.ts";

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
export function written(
  { resource, info }: Pick<Call, "resource" | "info">,
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
export function drafted(resource: Resource, body: JsonObject): Draft<KubeObject> {
  const { kind: _, apiVersion: __, status, ...rest } = body;
  const said = Object.entries(metadataOf(body)).filter(([field]) => !serversOwn.includes(field));
  // Of objects with a status subresource, only a new node keeps its status: its kubelet sends it.
  const kept = resource.statusSubresource && resource.kind !== "Node" ? {} : { status };
  const metadata = tidy(Object.fromEntries(said));
  return { ...rest, ...(status === undefined ? {} : kept), metadata } as Draft<KubeObject>;
}
