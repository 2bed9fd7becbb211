import type { Json, JsonObject } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import { inWireOrder } from "../resource.ts";
import { ApiError } from "../status.ts";

/** How objects are shown: whole, or their metadata only. */
export interface Representation {
  one(object: KubeObject): Json;
  item(object: KubeObject): Json;
  /** The kind and version of a list. */
  listOf(kind: string, apiVersion: string): JsonObject;
}

const whole: Representation = {
  one: (object) => inWireOrder(object, "with-type"),
  item: (object) => inWireOrder(object, "bare"),
  listOf: (kind, apiVersion) => ({ kind: `${kind}List`, apiVersion }),
};

const partial = ({ metadata }: KubeObject): Json => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: metadata as unknown as JsonObject,
});

const metadataOnly: Representation = {
  one: partial,
  item: partial,
  listOf: () => ({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" }),
};

const available = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const watchable = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/** Chooses the first representation that the caller accepts and the sandbox knows. */
export function representationFor(accept: string | undefined, verb: string): Representation {
  for (const choice of (accept || "*/*").split(",").map((it) => it.trim())) {
    if (/;as=PartialObjectMetadata/.test(choice)) return metadataOnly;
    if (/^(application\/json|application\/\*|\*\/\*)(;|$)/.test(choice)) return whole;
  }
  const watches = verb === "list" || verb === "watch" ? `, ${watchable}` : "";
  throw new ApiError({
    code: 406,
    message: `406: Not Acceptable\n\nAvailable representations: ${available}${watches}`,
    reason: "NotAcceptable",
    details: {},
  });
}
