import type { Cluster } from "../drain/drain.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassPorts } from "../notice/notice.port.ts";
import type { LaunchEntry } from "./launch-entry.ts";
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

/** The outside world of a launch. */
export interface LaunchPorts extends PassPorts {
  readonly cluster: Pick<Cluster, "followNodes" | "nodeNameOf">;
  readonly journal: Journal<LaunchEntry>;
  readonly roles: Roles;
  readonly access: RoleRegistry;
}
