import { Fault } from "../base/fault.ts";
import type { ClusterObject } from "./cluster-object.ts";
import { otherStacks } from "./other-stacks.ts";
import type { AccessObjects } from "./rights.port.ts";

type GivenObjects = Omit<AccessObjects, "claims">;

/** The act that undoes a change of an object. */
type Undoing = (objects: GivenObjects) => Promise<void>;

const mostTries = 5;

/** Refuses a cluster where another stack has given its functions rights: both would drain the same nodes, by fences of the later. */
export async function assertAlone(
  wanted: readonly ClusterObject[],
  owner: string,
  objects: Pick<AccessObjects, "claims">,
): Promise<void> {
  const claims: string[] = [];
  for (const object of wanted) claims.push(...(await objects.claims(object)));
  const [other, ...more] = otherStacks(claims, owner);
  if (other === undefined) return;
  const named = more.length === 0 ? other : `${other} and ${more.length} more`;
  throw new Fault(
    "cluster.taken",
    `giving rights in the cluster: it has the deployment of ${named}`,
  );
}

/** Applies the wanted objects in their order, then removes the unwanted ones in reverse order. */
export async function grantAccess(
  change: {
    readonly wanted: readonly ClusterObject[];
    readonly unwanted: readonly ClusterObject[];
    /** The fate of the objects that a failed change has created. */
    readonly ifItFails: "keep" | "undo";
  },
  objects: GivenObjects,
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
async function give(object: ClusterObject, objects: GivenObjects, undoings: Undoing[]) {
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

/**
 * Undoes a failed change as far as possible; the error to report is the one that failed the change.
 */
async function undo(undoings: readonly Undoing[], objects: GivenObjects): Promise<void> {
  for (const undoing of undoings.toReversed()) await undoing(objects).catch(() => undefined);
}
