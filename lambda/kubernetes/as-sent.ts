import { Fault } from "../base/fault.ts";
import { type Instant, instant, tryInstantOf } from "../base/time.ts";

/** An object of the Kubernetes API as JSON has it: like client-node's model, but with times as texts. */
export type AsSent<T> = T extends Date
  ? string
  : T extends object
    ? { [K in keyof T]: AsSent<T[K]> }
    : T;

/**
 * A time of the Kubernetes API; long ago where an object has none, or one that cannot be read: a kubelet may write one of
 * the year 10000.
 */
export const instantOf = (time: string | undefined): Instant =>
  tryInstantOf(time ?? "") ?? instant(0);

/** A page of a collection as the API server sends it. */
export interface PageSent<M> {
  readonly items?: readonly AsSent<M>[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** The objects of a page. An answer without a list is refused: a node whose pods are unknown is not empty. */
export function itemsIn<M>(title: string, { items }: PageSent<M>): readonly AsSent<M>[] {
  if (items === undefined)
    throw new Fault("cluster.refused", `listing ${title}: the answer has no list of items`);
  return items ?? []; // null is an empty list in Go
}
