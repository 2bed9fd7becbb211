import type { KubeObject } from "./kube-object.ts";

/** A namespace. */
export interface NamespaceObject extends KubeObject {
  readonly spec: { readonly finalizers?: readonly string[] };
  readonly status: { readonly phase: "Active" | "Terminating" };
}
