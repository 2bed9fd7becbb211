import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";

/** EC2's facts about an instance that seems to have no node. */
export interface LaunchFacts {
  readonly at: Instant;
  readonly names: readonly NodeName[];
}

/** The EC2 instances of groups: when each was launched, and how it is rebooted. */
export interface Machines {
  /** The launches of these instances; those that EC2 does not know are left out. */
  launches(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, LaunchFacts>>;
  /** Reboots a machine; `refused` if it is not running. */
  reboot(instance: InstanceId): Promise<"asked" | "refused">;
}
