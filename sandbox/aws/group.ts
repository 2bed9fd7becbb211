import { type Duration, hours, type Instant, seconds } from "../../lambda/base/time.ts";
import type { LifecycleState, Transition } from "./lifecycle.ts";

/** The end of a lifecycle action. */
export type ActionResult = "ABANDON" | "CONTINUE";

/** A lifecycle hook; fields that are not set are empty. */
export interface Hook {
  readonly name: string;
  readonly transition: Transition;
  readonly heartbeat: Duration;
  readonly defaultResult: ActionResult;
  readonly targetArn: string;
  readonly roleArn: string;
  readonly metadata: string;
}

/** A tag of a group. */
export interface GroupTag {
  readonly key: string;
  readonly value: string;
  readonly propagated: boolean;
}

/** A group's warm pool. */
export type WarmPool =
  | { readonly kind: "none" }
  | {
      readonly kind: "pool";
      readonly state: "Hibernated" | "Running" | "Stopped";
      readonly onScaleIn: "reuse" | "terminate";
    };

/** In which bounds, in percent of the desired capacity, a group replaces instances. */
export type MaintenancePolicy =
  | { readonly kind: "none" }
  | { readonly kind: "bounds"; readonly min: number; readonly max: number };

/** The launch template of a group or, where it is an old group, its launch configuration. */
export interface LaunchTemplate {
  readonly kind: "configuration" | "template";
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly platform: "linux" | "windows";
  readonly profileArn: string;
}

/** Instances of a type that a group with a mixed instances policy launches, by its own template or by that of the policy. */
export interface TemplateOverride {
  readonly type: string;
  readonly template: LaunchTemplate | "of-policy";
}

/** An instance refresh of a group. */
export interface Refresh {
  readonly id: string;
  readonly status: "Cancelled" | "InProgress" | "Pending" | "RollbackInProgress" | "Successful";
  readonly startedAt: Instant;
}

/** The settings of a group. */
export interface GroupSpec {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  readonly zones: readonly string[];
  readonly tags: readonly GroupTag[];
  /** The template as the group names it: its version may be `$Latest` or `$Default`. */
  readonly template: LaunchTemplate;
  /** The overrides of its mixed instances policy. It launches by the first of them. */
  readonly overrides: "no-policy" | readonly TemplateOverride[];
  /** The processes that are suspended, such as `Launch`. */
  readonly suspended: readonly string[];
  /** The newest first. They are only told: none of them changes anything. */
  readonly refreshes: readonly Refresh[];
  /** The target groups and classic load balancers in which the group registers its instances, by name. */
  readonly balancers: readonly string[];
  /** `by-itself` if the group launches instances when it has too few. */
  readonly launches: "by-itself" | "never";
  /** The purchase option of its instances. */
  readonly lifecycle: "on-demand" | "spot";
  readonly warmPool: WarmPool;
  readonly maintenance: MaintenancePolicy;
  /** So long after an instance joined, a check that respects the grace period does not count. */
  readonly healthGrace: Duration;
  /** The time that its EC2 instances take to shut down. */
  readonly shutdown: Duration;
  /** The fate of an instance whose termination is abandoned. */
  readonly onAbandon: "retain" | "terminate";
  /** The service that alone may change the group; empty without one. */
  readonly operator: string;
}

/** An instance of a group. */
export interface GroupInstance {
  readonly id: string;
  readonly group: string;
  readonly zone: string;
  readonly type: string;
  readonly state: LifecycleState;
  readonly protection: "none" | "scale-in";
  readonly health: "healthy" | "unhealthy";
  /** The template that launched it, at the version of that time. */
  readonly template: LaunchTemplate;
  readonly joinedAt: Instant;
}

/** A group as it is now. */
export interface Group extends GroupSpec {
  readonly arn: string;
  readonly createdAt: Instant;
  readonly hooks: readonly Hook[];
}

/** The defaults of a hook. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_PutLifecycleHook.html */
export const hookDefaults = {
  heartbeat: hours(1),
  defaultResult: "ABANDON",
  targetArn: "",
  roleArn: "",
  metadata: "",
} as const satisfies Partial<Hook>;

/** The defaults of a group. */
export const groupDefaults = {
  min: 0,
  max: 10,
  desired: 0,
  tags: [],
  overrides: "no-policy",
  suspended: [],
  refreshes: [],
  balancers: [],
  launches: "never",
  lifecycle: "on-demand",
  warmPool: { kind: "none" },
  maintenance: { kind: "none" },
  healthGrace: seconds(300),
  shutdown: seconds(30),
  onAbandon: "terminate",
  operator: "",
  template: {
    kind: "template",
    id: "lt-0a1b2c3d4e5f60718",
    name: "nodes",
    version: "1",
    instanceType: "m6i.large",
    imageId: "ami-0123456789abcdef0",
    platform: "linux",
    profileArn: "",
  },
} as const satisfies Partial<GroupSpec>;
