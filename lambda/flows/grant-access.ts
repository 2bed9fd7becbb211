import type { ClusterObject } from "../domain/cluster-object.ts";
import type { AccessObjects } from "../ports.ts";

/** What of a cluster's objects is to be there, and what was before. */
export interface AccessChange {
  readonly wanted: readonly ClusterObject[];
  readonly former: readonly ClusterObject[];
}

/** Applies the objects that are wanted, in their order, and then removes those that no longer are, backwards. */
export async function grantAccess(change: AccessChange, objects: AccessObjects): Promise<void> {
  const { wanted, former } = change;
  for (const object of wanted) await objects.apply(object);
  const dropped = former.filter((object) => !wanted.some((kept) => isSame(kept, object)));
  for (const object of dropped.toReversed()) await objects.remove(object);
}

const isSame = (a: ClusterObject, b: ClusterObject): boolean =>
  a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
