import { Duration } from "aws-cdk-lib";
import {
  EventField,
  type EventPattern,
  Rule,
  RuleTargetInput,
  Schedule,
} from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import { putBackMessage } from "../../lambda/base/contract.ts";
import type { eventSettings } from "../../lambda/config/settings.ts";
import {
  capacityBlockEvents,
  capacityReservationWarnings,
} from "../../lambda/interruption/event-names.ts";
import type { WorkQueue } from "../function/work-queue.ts";
import type { OptionsOf } from "../options/options.ts";

/** The kinds of events that the rules match, of which each can be switched off, and what is done about them. */
export interface EventOptions extends OptionsOf<typeof eventSettings> {
  /** The two minutes' warning of a Spot instance. @default "on" */
  readonly spotInterruption?: "off" | "on";
  /** The two minutes' warning of an instance in an interruptible Capacity Reservation or a Capacity Block. @default "on" */
  readonly capacityReservationInterruption?: "off" | "on";
  /** The end of a Capacity Block: 40 minutes before it, and when the block begins. @default "on" */
  readonly capacityBlock?: "off" | "on";
  /** The advice that a Spot instance may be interrupted. @default "on" */
  readonly rebalanceRecommendation?: "off" | "on";
  /** Scheduled changes of EC2 that AWS Health tells of. @default "on" */
  readonly scheduledChange?: "off" | "on";
  /** Instances that somebody stops or terminates by hand. @default "on" */
  readonly stateChange?: "off" | "on";
}

type Kinds = Omit<EventOptions, keyof typeof eventSettings>;

/** The kinds of events that the rules match, and the queue that receives them. */
export interface EventRulesProps extends EventOptions {
  readonly queue: WorkQueue;
}

interface EventRuleSpec {
  readonly kind: keyof Kinds;
  /** The rule's id in the stack. */
  readonly id: string;
  readonly pattern: EventPattern;
}

const heard: readonly EventRuleSpec[] = [
  {
    kind: "spotInterruption",
    id: "SpotInterruption",
    pattern: { source: ["aws.ec2"], detailType: ["EC2 Spot Instance Interruption Warning"] },
  },
  {
    kind: "capacityReservationInterruption",
    id: "CapacityReservationInterruption",
    pattern: { source: ["aws.ec2"], detailType: [...capacityReservationWarnings] },
  },
  {
    kind: "capacityBlock",
    id: "CapacityBlock",
    pattern: { source: ["aws.ec2"], detailType: [...capacityBlockEvents] },
  },
  {
    kind: "rebalanceRecommendation",
    id: "RebalanceRecommendation",
    pattern: { source: ["aws.ec2"], detailType: ["EC2 Instance Rebalance Recommendation"] },
  },
  {
    kind: "scheduledChange",
    id: "ScheduledChange",
    pattern: {
      source: ["aws.health"],
      detailType: ["AWS Health Event"],
      detail: { service: ["EC2"], eventTypeCategory: ["scheduledChange"] },
    },
  },
  {
    kind: "stateChange",
    id: "StateChange",
    pattern: {
      source: ["aws.ec2"],
      detailType: ["EC2 Instance State-change Notification"],
      detail: { state: ["stopping", "shutting-down", "stopped", "terminated"] },
    },
  },
];

/** Sends EventBridge's events about instances to the queue. Events that the queue does not accept go to the dead-letter queue. */
export class EventRules extends Construct {
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, { queue, ...options }: EventRulesProps) {
    super(scope, id);
    const target = queue.asTarget();
    this.rules = heard
      .filter(({ kind }) => isHeard(kind, options))
      .map(({ id, pattern }) => new Rule(this, id, { eventPattern: pattern, targets: [target] }));
  }
}

/** Whether a kind of event is on, and leads to something. */
function isHeard(kind: keyof Kinds, options: EventOptions): boolean {
  if (kind === "rebalanceRecommendation" && options.rebalance === "nothing") return false;
  return (options[kind] ?? "on") === "on";
}

/** A schedule that lowers replicas which were raised to make room, even if the drains that raised them are lost. */
export const putBackSchedule = (scope: Construct, id: string, queue: WorkQueue): Rule =>
  new Rule(scope, id, {
    description: "Has workloads put back that were scaled up to make room for drains",
    schedule: Schedule.rate(Duration.minutes(15)),
    targets: [
      queue.asTarget(RuleTargetInput.fromObject({ ...putBackMessage, time: EventField.time })),
    ],
  });
