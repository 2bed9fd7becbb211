import { type Duration, type Instant, later, minutes, timestamp } from "../../lambda/base/time.ts";
import type { CapacityReservation } from "../../sandbox/aws/ec2.ts";
import { makeTrue } from "./true-event.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { account, group, hook, instanceOf } from "./world-options.ts";

const eventOf = (instance: string, at: Instant): object => ({
  version: "0",
  id: "1e5527d7-bb36-4607-3370-4164db56a40e",
  source: "aws.ec2",
  account: account.id,
  time: timestamp(at),
  region: account.region,
  resources: [`arn:aws:ec2:${account.region}a:instance/${instance}`],
});

/** EC2 announces that it takes a Spot instance back in two minutes. */
export function interrupt(
  world: VirtualWorld,
  instance: string = instanceOf(1),
  action: "hibernate" | "stop" | "terminate" = "terminate",
): void {
  tell(world, interruptionOf(world, instance, action));
}

/** Something happens, and EC2 tells so. */
function tell(world: VirtualWorld, event: object): void {
  makeTrue(world.aws.ec2, event);
  world.send(event);
}

/** The event that announces an interruption; untrue unless the instance is a Spot instance. */
export const interruptionOf = (
  world: VirtualWorld,
  instance: string = instanceOf(1),
  action: "hibernate" | "stop" | "terminate" = "terminate",
): object => ({
  ...eventOf(instance, world.timeline.now()),
  "detail-type": "EC2 Spot Instance Interruption Warning",
  detail: { "instance-id": instance, "instance-action": action },
});

/** The types of the event that announces the end of an instance in a Capacity Reservation: AWS uses both. */
export const reservationWarnings = [
  "EC2 Capacity Reservation Instance Interruption Warning",
  "EC2 Interruptible Capacity Reservation Instance Interruption Warning",
] as const;

/** What such an event says of an instance. */
export interface ReservationInterruption {
  readonly instance?: string;
  readonly type?: (typeof reservationWarnings)[number];
  /** The time of its end. @default in two minutes */
  readonly ends?: Instant;
}

/** EC2 announces that it ends an instance of an interruptible Capacity Reservation. */
export const reclaim = (world: VirtualWorld, said: ReservationInterruption = {}): void =>
  tell(world, reclaimOf(world, said));

/** The event that announces this; untrue unless the instance is in such a reservation. `resources` is a text, as AWS' guide has it. */
export function reclaimOf(
  world: VirtualWorld,
  { instance = instanceOf(1), type = reservationWarnings[0], ends }: ReservationInterruption = {},
): object {
  const now = world.timeline.now();
  return {
    ...eventOf(instance, now),
    resources: `arn:aws:ec2:${account.region}:${account.id}:instance/${instance}`,
    "detail-type": type,
    detail: {
      "instance-id": instance,
      "instance-action": "terminate",
      "instance-termination-time": timestamp(ends ?? later(now, minutes(2))),
      azId: "euw1-az1",
    },
  };
}

/** The id of the Capacity Block of the tests. */
export const reservation = "cr-0123456789abcdef0";

/** What EC2 says of a Capacity Block, and which instances run in it. */
export interface Block {
  readonly on?: readonly number[];
  /** @default in 40 minutes, which is when EC2 tells so */
  readonly endsIn?: Duration;
  readonly instanceType?: string;
  readonly state?: CapacityReservation["state"];
}

/** Lets instances run in a Capacity Block. */
export function enterBlock(world: VirtualWorld, { on = [1], ...block }: Block = {}): void {
  const { ec2 } = world.aws;
  ec2.reserve({
    id: reservation,
    type: "capacity-block",
    state: "active",
    instanceType: "p5.48xlarge",
    endsIn: minutes(40),
    ...block,
  });
  for (const index of on) ec2.enterBlock(instanceOf(index), reservation);
}

/** The events about a Capacity Block: AWS names each in two ways. */
export const blockEvents = [
  "Capacity Block Expiration Warning",
  "Capacity Block Reservation Expiration Warning",
  "Capacity Block Delivered",
  "Capacity Block Reservation Delivered",
] as const;

/** EC2 tells of a Capacity Block. Its end is the sender's word, and counts for nothing. */
export const tellOfBlock = (
  world: VirtualWorld,
  type: (typeof blockEvents)[number] = blockEvents[0],
  detail: Readonly<Record<string, unknown>> = {},
): void =>
  world.send({
    ...eventOf(instanceOf(1), world.timeline.now()),
    resources: [`arn:aws:ec2:${account.region}:${account.id}:capacity-reservation/${reservation}`],
    "detail-type": type,
    detail: {
      "capacity-reservation-id": reservation,
      "end-date": timestamp(world.timeline.now()),
      ...detail,
    },
  });

/** EC2 recommends to rebalance, because it may take an instance back. */
export function recommend(world: VirtualWorld, instance: string = instanceOf(1)): void {
  tell(world, recommendationOf(world, instance));
}

/** The event that recommends to rebalance; untrue unless the instance is a Spot instance. */
export const recommendationOf = (world: VirtualWorld, instance = instanceOf(1)): object => ({
  ...eventOf(instance, world.timeline.now()),
  "detail-type": "EC2 Instance Rebalance Recommendation",
  detail: { "instance-id": instance },
});

type EndingState = "shutting-down" | "stopped" | "stopping" | "terminated";

/** An instance changes its state, and EC2 tells so. */
export const changeState = (
  world: VirtualWorld,
  state: EndingState,
  instance: string = instanceOf(1),
): void => tell(world, stateChangeOf(world, state, instance));

/** The event that tells of another state; untrue unless the instance is in that state. */
export const stateChangeOf = (
  world: VirtualWorld,
  state: EndingState,
  instance: string = instanceOf(1),
): object => ({
  ...eventOf(instance, world.timeline.now()),
  "detail-type": "EC2 Instance State-change Notification",
  detail: { "instance-id": instance, state },
});

/** EventBridge tells of the hold of the first instance too, with the token that the hook's own notice has. */
export const tellOfHold = (world: VirtualWorld): void =>
  world.send({
    ...eventOf(instanceOf(1), world.timeline.now()),
    "detail-type": "EC2 Instance-terminate Lifecycle Action",
    source: "aws.autoscaling",
    detail: {
      LifecycleActionToken: world.aws.autoScaling.actions()[0]?.token ?? "",
      AutoScalingGroupName: group,
      LifecycleHookName: hook,
      EC2InstanceId: instanceOf(1),
      LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
      Origin: "AutoScalingGroup",
      Destination: "EC2",
    },
  });
