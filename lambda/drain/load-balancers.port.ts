import type { InstanceId } from "../base/ids.ts";
import type { Target } from "./target.ts";

/** The load balancers that send requests to instances. */
export interface LoadBalancers {
  /** The instance as a target of every load balancer of its VPC, with all its ports; without those that have let it go. */
  targetsOf(instance: InstanceId, vpc: string): Promise<readonly Target[]>;
  /** The same targets as they are now. */
  look(targets: readonly Target[]): Promise<readonly Target[]>;
  /** Takes the targets out of their load balancers. */
  deregister(targets: readonly Target[]): Promise<void>;
}
