import type { ClusterObject } from "../../domain/rights/cluster-object.ts";
import { Fault } from "../../fault.ts";
import type { AccessObjects } from "../../ports/access-objects.ts";

/** What of a cluster's objects is to be there, and what is not. */
export interface AccessChange {
  readonly wanted: readonly ClusterObject[];
  readonly unwanted: readonly ClusterObject[];
  /** Whether what a change that failed has made stays. */
  readonly ifItFails: "keep" | "undo";
}

/** How a change takes back what it has done to an object. */
type Undoing = (objects: AccessObjects) => Promise<void>;

const mostTries = 5;

/** Applies the objects that are wanted, in their order, and then removes those that are not, backwards. */
export async function grantAccess(change: AccessChange, objects: AccessObjects): Promise<void> {
  const undoings: Undoing[] = [];
  try {
    for (const object of change.wanted) await give(object, objects, undoings);
    for (const object of change.unwanted.toReversed()) await objects.remove(object);
  } catch (cause) {
    if (change.ifItFails === "undo") await undo(undoings, objects);
    throw cause;
  }
}

/** Another deployment that ends may remove an object before this deployment is its owner. */
async function give(object: ClusterObject, objects: AccessObjects, undoings: Undoing[]) {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const found = await objects.apply(object);
    undoings.push((all) => (found === "created" ? all.remove(object) : all.disown(object)));
    if ((await objects.own(object)) === "owned") return;
  }
  throw new Fault(
    "cluster.refused",
    `applying ${object.kind} ${object.name}: others kept removing it`,
  );
}

/** What cannot be taken back stays: why the change failed is what matters. */
async function undo(undoings: readonly Undoing[], objects: AccessObjects): Promise<void> {
  for (const undoing of undoings.toReversed()) await undoing(objects).catch(() => undefined);
}
