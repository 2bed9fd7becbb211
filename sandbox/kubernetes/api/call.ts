import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import { badRequest } from "../refusals.ts";
import { inWireOrder, type Ref, type Resource } from "../resource.ts";
import { encode, type KubeRequest, type KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** Reads the object in a request's body. */
export function readBody(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value as JsonValue)) return value as JsonObject;
  } catch {
    // Nobody sends JSON that is broken; the words of the real server are not imitated.
  }
  throw badRequest(`the sandbox cannot read this as an object: ${body}`);
}

/** The metadata of an object in a request's body. */
export const metadataOf = ({ metadata }: JsonObject): JsonObject =>
  isObject(metadata) ? metadata : {};

/** The representation of objects: whole, or their metadata only. */
interface Representation {
  one(object: KubeObject): JsonValue;
  item(object: KubeObject): JsonValue;
  /** The kind and version of a list. */
  listOf(kind: string, apiVersion: string): JsonObject;
}

const whole: Representation = {
  one: (object) => inWireOrder(object, "with-type"),
  item: (object) => inWireOrder(object, "bare"),
  listOf: (kind, apiVersion) => ({ kind: `${kind}List`, apiVersion }),
};

const partial = ({ metadata }: KubeObject): JsonValue => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: metadata as unknown as JsonObject,
});

const metadataOnly: Representation = {
  one: partial,
  item: partial,
  listOf: () => ({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" }),
};

/** Shows the metadata only to a caller that asks for it. */
export const representationFor = (accept: string | undefined): Representation =>
  /;as=PartialObjectMetadata/.test(accept ?? "") ? metadataOnly : whole;

/** An authorized request to a resource that the server knows. */
export interface ResourceCall {
  readonly request: KubeRequest;
  readonly info: RequestInfo;
  readonly resource: Resource;
  readonly shown: Representation;
}

/** The object that a request is about. */
export const refOf = ({ info, resource }: ResourceCall): Ref => ({
  resource,
  namespace: resource.namespaced ? info.namespace : undefined,
  name: info.name,
});

/** An answer in JSON. */
export const answer = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): KubeResponse & { readonly kind: "answer" } => ({
  kind: "answer",
  status,
  headers: { "content-type": "application/json", ...headers },
  body: encode(body),
});
