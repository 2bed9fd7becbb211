import { Fault } from "../base/fault.ts";
import type { ClusterObject } from "./cluster-object.ts";
import type { AccessObjects } from "./rights.port.ts";

/** How a change undoes what it has done to an object. */
type Undoing = (objects: AccessObjects) => Promise<void>;

const mostTries = 5;

/** Applies the wanted objects in their order, then removes the unwanted ones in reverse order. */
export async function grantAccess(
  change: {
    readonly wanted: readonly ClusterObject[];
    readonly unwanted: readonly ClusterObject[];
    /** Whether the objects that a failed change has made stay. */
    readonly ifItFails: "keep" | "undo";
  },
  objects: AccessObjects,
): Promise<void> {
  const undoings: Undoing[] = [];
  try {
    for (const object of change.wanted) await give(object, objects, undoings);
    for (const object of change.unwanted.toReversed()) await objects.remove(object);
  } catch (cause) {
    if (change.ifItFails === "undo") await undo(undoings, objects);
    throw cause;
  }
}

/** Applies an object again if another deployment, which ends, removes it before this deployment is its owner. */
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

/** What cannot be undone stays, because the error to report is the one that failed the change. */
async function undo(undoings: readonly Undoing[], objects: AccessObjects): Promise<void> {
  for (const undoing of undoings.toReversed()) await undoing(objects).catch(() => undefined);
}
