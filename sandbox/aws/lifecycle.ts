/** The lifecycle state of an instance in its group. @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-lifecycle.html */
export type LifecycleState =
  | "InService"
  | "Pending"
  | "Pending:Proceed"
  | "Pending:Wait"
  | "Standby"
  | "Terminated"
  | "Terminating"
  | "Terminating:Proceed"
  | "Terminating:Retained"
  | "Terminating:Wait"
  | "Warmed:Hibernated"
  | "Warmed:Pending"
  | "Warmed:Pending:Proceed"
  | "Warmed:Pending:Wait"
  | "Warmed:Running"
  | "Warmed:Stopped"
  | "Warmed:Terminating"
  | "Warmed:Terminating:Proceed"
  | "Warmed:Terminating:Wait";

/** The transition at which a hook holds an instance. */
export type Transition =
  | "autoscaling:EC2_INSTANCE_LAUNCHING"
  | "autoscaling:EC2_INSTANCE_TERMINATING";

/** Where an instance comes from or goes to. */
type InstancePlace = "AutoScalingGroup" | "EC2" | "WarmPool";

/** A path through the lifecycle states; hooks hold the instance in its wait state. */
export interface Journey {
  readonly transition: Transition;
  readonly origin: InstancePlace;
  readonly destination: InstancePlace;
  readonly start: LifecycleState;
  readonly wait: LifecycleState;
  readonly proceed: LifecycleState;
}

const launching = "autoscaling:EC2_INSTANCE_LAUNCHING";
const terminating = "autoscaling:EC2_INSTANCE_TERMINATING";

const throughPending = {
  start: "Pending",
  wait: "Pending:Wait",
  proceed: "Pending:Proceed",
} as const;

const throughWarmPending = {
  start: "Warmed:Pending",
  wait: "Warmed:Pending:Wait",
  proceed: "Warmed:Pending:Proceed",
} as const;

/** Every journey on which hooks run. @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/warm-pool-instance-lifecycle.html */
export const journeys = {
  launch: {
    transition: launching,
    origin: "EC2",
    destination: "AutoScalingGroup",
    ...throughPending,
  },
  "launch-from-warm-pool": {
    transition: launching,
    origin: "WarmPool",
    destination: "AutoScalingGroup",
    ...throughPending,
  },
  "launch-into-warm-pool": {
    transition: launching,
    origin: "EC2",
    destination: "WarmPool",
    ...throughWarmPending,
  },
  "return-to-warm-pool": {
    transition: terminating,
    origin: "AutoScalingGroup",
    destination: "WarmPool",
    ...throughWarmPending,
  },
  terminate: {
    transition: terminating,
    origin: "AutoScalingGroup",
    destination: "EC2",
    start: "Terminating",
    wait: "Terminating:Wait",
    proceed: "Terminating:Proceed",
  },
  "terminate-from-warm-pool": {
    transition: terminating,
    origin: "WarmPool",
    destination: "EC2",
    start: "Warmed:Terminating",
    wait: "Warmed:Terminating:Wait",
    proceed: "Warmed:Terminating:Proceed",
  },
} as const satisfies Record<string, Journey>;

/** The name of a journey. */
export type JourneyName = keyof typeof journeys;

/** Whether launch hooks run on a journey, and not terminate hooks. */
export const launches = (journey: JourneyName): boolean =>
  journeys[journey].transition === launching;

/** Whether an instance in this state counts towards the desired capacity of its group. */
export const countsToDesired = (state: LifecycleState): boolean =>
  state === "InService" || state.startsWith("Pending");
