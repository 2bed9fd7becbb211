import type { ClusterObject } from "./cluster-object.ts";

/** The objects of a cluster that give access to it; several deployments may want the same. */
export interface AccessObjects {
  /** Creates an object or brings it up to date, and says which of the two it did. */
  apply(object: ClusterObject): Promise<"changed" | "created">;
  /** The claims of an object's owners; none if the object does not exist. */
  claims(object: ClusterObject): Promise<readonly string[]>;
  /** Writes this deployment as an owner of an object. */
  own(object: ClusterObject): Promise<"owned" | "gone">;
  /** Removes this deployment from the owners, and leaves the object. */
  disown(object: ClusterObject): Promise<void>;
  /** Removes this deployment from the owners, and the object with it unless another deployment owns it. */
  remove(object: ClusterObject): Promise<void>;
}
