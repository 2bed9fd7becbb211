import type { KubeObject } from "./kube-object.ts";

/** A name in front of the pods that it selects. */
export interface Service extends KubeObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
}
