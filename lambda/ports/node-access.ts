import type { Registration } from "../domain/launch/access.ts";
import type { NodeRole } from "../domain/launch/node-mapping.ts";

/** The roles that instances work under. */
export interface Roles {
  /** The ARN of the role in an instance profile, with its path; `none` when there is none in it. */
  roleIn(profile: string): Promise<string | "none">;
}

/** Who may join the cluster as a node. */
export interface RoleRegistry {
  /** Lets the holders of a role join, unless they may already; nobody is ever shut out. */
  register(role: NodeRole): Promise<Registration>;
}
