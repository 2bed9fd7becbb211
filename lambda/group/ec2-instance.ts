import type { NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
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
  /**
   * The way it was bought: EC2's `InstanceLifecycle`, such as `spot`; `on-demand` where EC2 names
   * none.
   */
  readonly lifecycle: string;
}

/**
 * EC2's answer about an instance: `unknown` when EC2 does not know it, `unanswered` when EC2 did not answer in time,
 * `throttled` when it said only that it is asked too often.
 */
export type Ec2Answer = Ec2Instance | "throttled" | "unanswered" | "unknown";

/**
 * The life of an instance: `there` while it starts or runs, `ending` while it stops or shuts down.
 * One that is stopped may come back as a new boot. One that is `hibernated`, as may be any that can
 * hibernate, comes back with its kubelet still running, which does not register its node again.
 */
export type Life = "there" | "ending" | "stopped" | "hibernated" | "terminated";

/** The names under which the node of an instance may have registered; none when EC2 does not know the instance. */
export const namesOf = (ec2Instance: Ec2Answer): readonly NodeName[] =>
  typeof ec2Instance === "string" ? [] : ec2Instance.names;

/** The VPC of an instance; empty when EC2 has named none. */
export const vpcOf = (ec2Instance: Ec2Answer): string =>
  typeof ec2Instance === "string" ? "" : ec2Instance.vpc;

/** Whether EC2 says that the instance starts or runs. */
export const isThere = (ec2Instance: Ec2Answer): boolean =>
  typeof ec2Instance !== "string" && ec2Instance.life === "there";

/** The capacity whose interruption an event announces. */
export type InterruptibleCapacity = "capacity-reservation" | "spot";

// EC2 takes these back, and no others. https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Instance.html
const interruptible: Readonly<Record<InterruptibleCapacity, readonly string[]>> = {
  spot: ["spot", "interruptible-capacity-reservation"],
  "capacity-reservation": ["interruptible-capacity-reservation", "capacity-block"],
};

/** Whether EC2 may interrupt the instance for lack of such capacity, as far as EC2 says. */
export const mayBeInterrupted = (
  ec2Instance: Ec2Answer,
  capacity: InterruptibleCapacity,
): boolean =>
  typeof ec2Instance === "string" || interruptible[capacity].includes(ec2Instance.lifecycle);

export const isGone = (ec2Instance: Ec2Answer): boolean =>
  typeof ec2Instance === "string" ? ec2Instance === "unknown" : ec2Instance.life === "terminated";
