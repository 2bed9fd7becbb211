import type { NodeRole, Registration } from "./node-mapping.ts";

/** The IAM roles of instances. */
export interface Roles {
  /** The ARN of the role in an instance profile, with its path; `none` when the profile has no role. */
  roleIn(profile: string): Promise<string | "none">;
}

/** The roles whose instances may join the cluster as nodes. */
export interface RoleRegistry {
  /** Registers a role, unless it is registered already; it never removes another role. */
  register(role: NodeRole): Promise<Registration>;
}
