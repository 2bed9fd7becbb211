import type { InstanceId } from "../domain/ids.ts";
import type { Ec2Instance } from "../domain/node/ec2-instance.ts";

/** The EC2 instances behind the nodes. */
export interface Instances {
  /** The instance itself; `unknown` when EC2 has not heard of it: not yet, or no more. */
  describe(instance: InstanceId): Promise<Ec2Instance | "unknown">;
}
