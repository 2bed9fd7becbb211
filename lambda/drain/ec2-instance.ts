import type { NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Node } from "./node.ts";

/** The operating system of an instance. */
export type Platform = "linux" | "windows";

/** The EC2 instance behind a node. */
export interface Ec2Instance {
  /** The names under which its node may register. */
  readonly names: readonly NodeName[];
  readonly platform: Platform;
  /** The ARN of its instance profile; empty without one. */
  readonly profile: string;
  /** Its VPC; empty when EC2 names none, as for a terminated instance. */
  readonly vpc: string;
  readonly launched: Instant;
  readonly life: Life;
}

/**
 * How far an instance is: `there` while it starts or runs, `ending` while it stops or shuts down. One that is stopped may
 * come back as a new boot. One that is `hibernated`, as may be any that can hibernate, comes back with its kubelet
 * still running, which does not register its node again.
 */
export type Life = "there" | "ending" | "stopped" | "hibernated" | "terminated";

/** The names under which the node of an instance may have registered; none when EC2 does not know the instance. */
export const namesOf = (ec2Instance: Ec2Instance | "unknown"): readonly NodeName[] =>
  ec2Instance === "unknown" ? [] : ec2Instance.names;

/**
 * Whether the instance of a node has ended, so that nothing on the node is left to save. Both of these:
 * - the node does not report that it is ready (EC2's answers may lag behind, so a node that works is drained);
 * - EC2 says that the instance has been terminated, or no longer knows it.
 */
export const hasEnded = ({ readiness }: Node, ec2Instance: Ec2Instance | "unknown"): boolean =>
  readiness !== "ready" && (ec2Instance === "unknown" || ec2Instance.life === "terminated");
