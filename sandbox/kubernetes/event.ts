import type { KubeObject } from "./kube-object.ts";

/** An event of v1. */
export interface EventObject extends KubeObject {
  readonly involvedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly reason?: string;
  readonly type?: string;
  readonly eventTime?: string | null;
  readonly message?: string;
  readonly count?: number;
}
