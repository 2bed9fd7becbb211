import type { GroupName, InstanceId, NodeName } from "../base/ids.ts";
import type { Ec2Instance } from "./ec2-instance.ts";

/** The EC2 instances behind the nodes. */
export interface Instances {
  /** The instance itself; `unknown` when EC2 does not know it, not yet or no longer. */
  describe(instance: InstanceId): Promise<Ec2Instance | "unknown">;
  /** The groups that Auto Scaling has started many instances for, in few calls; those without one are left out. */
  groupsOf(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, GroupName>>;
  /** The names that the nodes of many instances may have, in few calls; an instance that EC2 does not know is left out. */
  namesOf(instances: readonly InstanceId[]): Promise<ReadonlyMap<InstanceId, readonly NodeName[]>>;
}
