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

type Way = "Pending" | "Terminating" | "Warmed:Pending" | "Warmed:Terminating";

const journey = (
  transition: Transition,
  origin: InstancePlace,
  destination: InstancePlace,
  start: Way,
): Journey => ({
  transition,
  origin,
  destination,
  start,
  wait: `${start}:Wait`,
  proceed: `${start}:Proceed`,
});

/** Every journey on which hooks run. @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/warm-pool-instance-lifecycle.html */
export const journeys = {
  launch: journey(launching, "EC2", "AutoScalingGroup", "Pending"),
  "launch-from-warm-pool": journey(launching, "WarmPool", "AutoScalingGroup", "Pending"),
  "launch-into-warm-pool": journey(launching, "EC2", "WarmPool", "Warmed:Pending"),
  "return-to-warm-pool": journey(terminating, "AutoScalingGroup", "WarmPool", "Warmed:Pending"),
  terminate: journey(terminating, "AutoScalingGroup", "EC2", "Terminating"),
  "terminate-from-warm-pool": journey(terminating, "WarmPool", "EC2", "Warmed:Terminating"),
} as const;

/** The name of a journey. */
export type JourneyName = keyof typeof journeys;

/** Whether launch hooks run on a journey, and not terminate hooks. */
export const launches = (journey: JourneyName): boolean =>
  journeys[journey].transition === launching;

/** Whether an instance in this state counts towards the desired capacity of its group. */
export const countsToDesired = (state: LifecycleState): boolean =>
  state === "InService" || state.startsWith("Pending");
