import type { ClusterObject } from "../domain/cluster-object.ts";
import type { AccessObjects } from "../ports.ts";

/** What of a cluster's objects is to be there, and what is not. */
export interface AccessChange {
  readonly wanted: readonly ClusterObject[];
  readonly unwanted: readonly ClusterObject[];
  /** Whether what a change that failed has made stays. */
  readonly ifItFails: "keep" | "undo";
}

/** Applies the objects that are wanted, in their order, and then removes those that are not, backwards. */
export async function grantAccess(change: AccessChange, objects: AccessObjects): Promise<void> {
  const created: ClusterObject[] = [];
  try {
    for (const object of change.wanted)
      if ((await objects.apply(object)) === "created") created.push(object);
    for (const object of change.unwanted.toReversed()) await objects.remove(object);
  } catch (cause) {
    if (change.ifItFails === "undo") await undo(created, objects);
    throw cause;
  }
}

/** What cannot be removed stays: why the change failed is what matters. */
async function undo(created: readonly ClusterObject[], objects: AccessObjects): Promise<void> {
  for (const object of created.toReversed()) await objects.remove(object).catch(() => undefined);
}
