import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";

/** The nodes of the cluster, as a repair sees them. */
export interface SurveyNodes {
  /** All nodes; those whose provider ID names no EC2 instance have an empty `instance`. */
  surveyed(): Promise<readonly MachineNode[]>;
}

/** What EC2 says of an instance that seems to have no node. */
export interface Launch {
  readonly at: Instant;
  /** The names that its node may have. */
  readonly names: readonly NodeName[];
}

/** The EC2 instances that are repaired. */
export interface Machines {
  /** The launches of these instances; those that EC2 does not know are left out. */
  launches(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, Launch>>;
  /** Starts a machine anew; `refused` when it does not run. */
  reboot(instance: InstanceId): Promise<"asked" | "refused">;
}
