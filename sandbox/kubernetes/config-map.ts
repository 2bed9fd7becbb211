import type { KubeObject } from "./kube-object.ts";

/** A ConfigMap. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
