import type { KubeObject } from "./kube-object.ts";
import { type Resource, usual } from "./resource.ts";

/** A claim to devices. */
interface ResourceClaim extends KubeObject {
  readonly spec: object;
  readonly status?: object;
}

/** Devices of a driver, and the nodes that reach them. */
interface ResourceSlice extends KubeObject {
  readonly spec: { readonly driver: string; readonly [field: string]: unknown };
}

/** ResourceClaims. */
export const resourceClaims: Resource<ResourceClaim> = {
  ...usual,
  group: "resource.k8s.io",
  plural: "resourceclaims",
  kind: "ResourceClaim",
  generation: false,
  nothing: { spec: { devices: {} }, status: {} },
};

/** ResourceSlices. */
export const resourceSlices: Resource<ResourceSlice> = {
  ...usual,
  group: "resource.k8s.io",
  plural: "resourceslices",
  kind: "ResourceSlice",
  namespaced: false,
  statusSubresource: false,
  nothing: { spec: { driver: "" } },
};
