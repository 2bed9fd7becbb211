import type { Clock, Pause } from "./clock.ts";
import type { Cluster } from "./cluster.ts";
import type { Instances } from "./instances.ts";
import type { Journal } from "./journal.ts";
import type { RoleRegistry, Roles } from "./node-access.ts";
import type { ScalingGroups } from "./scaling-groups.ts";

/** Everything a flow reaches the world through. */
export interface Ports {
  readonly cluster: Cluster;
  readonly groups: ScalingGroups;
  readonly instances: Instances;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly pause: Pause;
}

/** What a launch needs besides. */
export interface LaunchPorts extends Ports {
  readonly roles: Roles;
  readonly access: RoleRegistry;
}
