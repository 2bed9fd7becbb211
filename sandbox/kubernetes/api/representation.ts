import type { JsonObject, JsonValue } from "../json.ts";
import type { KubeObject } from "../kube-object.ts";
import { inWireOrder } from "../resource.ts";

/** How objects are shown: whole, or their metadata only. */
export interface Representation {
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
