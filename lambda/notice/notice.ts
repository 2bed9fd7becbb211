import type { GroupName, InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { LifecycleAction } from "./lifecycle-action.ts";

/** Something that has happened to an instance, or will, and that the pods of its node should not suffer from. */
export type Notice =
  | Launching
  | Terminating
  | Interrupted
  | AtRisk
  | Maintenance
  | Stopping
  | Stopped
  | PutBack
  | Test
  | Unrelated;

/** A launch hook holds an instance that starts, new from EC2 or out of the group's warm pool. */
export interface Launching {
  readonly kind: "launching";
  readonly action: LifecycleAction;
  readonly origin: "new" | "warm-pool";
  readonly destination: "group" | "warm-pool";
  /** The notification metadata of the hook; empty when it has none. */
  readonly metadata: string;
  readonly since: Instant;
}

/** A terminate hook holds an instance that leaves its group; one that goes to the warm pool lives on. */
export interface Terminating {
  readonly kind: "terminating";
  readonly action: LifecycleAction;
  readonly origin: "group" | "warm-pool";
  readonly destination: "terminated" | "warm-pool";
  /** The notification metadata of the hook; empty when it has none. */
  readonly metadata: string;
  readonly since: Instant;
}

/** EC2 takes a Spot instance back in two minutes. */
export interface Interrupted {
  readonly kind: "interrupted";
  readonly instance: InstanceId;
  readonly action: "terminate" | "stop" | "hibernate";
  readonly since: Instant;
}

/** EC2 may take a Spot instance back soon, or never. */
export interface AtRisk {
  readonly kind: "at-risk";
  readonly instance: InstanceId;
  readonly since: Instant;
}

/** AWS plans work on the hosts of instances, as AWS Health reports; a closed event calls the work off. */
export interface Maintenance {
  readonly kind: "maintenance";
  /** The id of the event of EventBridge. */
  readonly id: string;
  /** Every affected instance, each once; never empty. */
  readonly instances: readonly InstanceId[];
  readonly status: "open" | "upcoming" | "closed";
  /** When the work begins. */
  readonly startTime: Instant;
  /** The ARN of the Health event. */
  readonly event: string;
  /** What is planned, such as `AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED`. */
  readonly eventType: string;
  readonly since: Instant;
}

/** Somebody stops or terminates an instance without asking its group. */
export interface Stopping {
  readonly kind: "stopping";
  readonly instance: InstanceId;
  readonly state: "stopping" | "shutting-down";
  readonly since: Instant;
}

/** An instance no longer runs: all that is left is to clean up after it. */
export interface Stopped {
  readonly kind: "stopped";
  readonly instance: InstanceId;
  readonly state: "stopped" | "terminated";
  readonly since: Instant;
}

/** The schedule has counts put back that were raised to make room, and that no drain needs any more. */
export interface PutBack {
  readonly kind: "put-back";
  readonly since: Instant;
}

/** A test message of Auto Scaling, which it sends when a hook is created. */
export interface Test {
  readonly kind: "test";
  readonly group: GroupName;
  readonly since: Instant;
}

/** A well-formed event that requires no action. */
export interface Unrelated {
  readonly kind: "unrelated";
  readonly reason: string;
  readonly since: Instant;
}
