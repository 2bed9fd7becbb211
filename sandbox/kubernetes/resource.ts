import type { JsonObject, JsonValue } from "./json.ts";
import type { Draft, KubeObject } from "./kube-object.ts";

interface Field<T> {
  // A method, so that the resource of a kind counts as a resource.
  read(object: T): string;
}

/** Reads the value that a field selector compares. */
export type FieldReader<T> = Field<T>["read"];

/** A kind of object and how the API server treats it. */
export interface Resource<T extends KubeObject = KubeObject> {
  readonly group: string;
  /** @default "v1" */
  readonly version?: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Whether changes of the spec raise `metadata.generation`. */
  readonly generation: boolean;
  /** Whether clients can write `status` only through the `status` subresource. */
  readonly statusSubresource: boolean;
  /** Whether the server answers a deletion with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** The body of a bookmark: an object of this kind with nothing in it. */
  readonly nothing: JsonObject;
  /** The values that field selectors compare, besides name and namespace. */
  readonly fields?: { [name: string]: FieldReader<T> };
  /** The part of an object whose changes raise the generation, if not the whole spec. */
  counted?(object: T): unknown;
  /** Whether the sandbox remembers who has written `spec.replicas` and the annotations, as a real API server does of all fields. */
  readonly fieldWriters?: true;
  /** Leaves out what Go leaves out of its JSON. */
  tidy?(object: T): T;
  /** Fills in what the API server fills in when it creates an object. */
  complete?(draft: Draft<T>): Draft<T>;
}

/** Names one object. */
export interface Ref<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly namespace?: string;
  readonly name: string;
}

/** The API version of a resource. */
export const apiVersion = ({ group, version = "v1" }: Resource): string =>
  group ? `${group}/${version}` : version;

/** The reference to an object that you already have. */
export const refTo = <T extends KubeObject>(resource: Resource<T>, { metadata }: T): Ref<T> => ({
  resource,
  namespace: metadata.namespace,
  name: metadata.name,
});

/** Orders the members of an object as the API server writes them. */
export function inWireOrder(object: KubeObject, type: "with-type" | "bare"): JsonValue {
  const { kind, apiVersion: version, metadata, ...rest } = object;
  const body = { metadata, ...rest } as unknown as JsonObject;
  return type === "bare" ? body : { kind, apiVersion: version, ...body };
}

/** The common fields of most resources. */
export const usual = {
  group: "",
  namespaced: true,
  generation: true,
  statusSubresource: true,
  returnsDeleted: false,
} as const;
