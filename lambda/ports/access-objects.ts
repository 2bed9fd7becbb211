import type { ClusterObject } from "../domain/rights/cluster-object.ts";

/** The objects of a cluster that give access to it; several deployments may want the same. */
export interface AccessObjects {
  /** Makes an object what it should be, and says whether it was there before. */
  apply(object: ClusterObject): Promise<"changed" | "created">;
  /** Writes at an object that this deployment wants it. */
  own(object: ClusterObject): Promise<"claimed" | "gone">;
  /** Takes the claim back, and leaves the object. */
  disown(object: ClusterObject): Promise<void>;
  /** Takes the claim back, and removes the object unless another deployment claims it. */
  remove(object: ClusterObject): Promise<void>;
}
