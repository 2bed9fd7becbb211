import type { IRuleTarget } from "aws-cdk-lib/aws-events";
import { type EventPattern, Rule } from "aws-cdk-lib/aws-events";
import { Construct } from "constructs";
import type { NoticeTopic } from "./notice-topic.ts";

/** What is listened to, each to be switched off. */
export interface EventOptions {
  /** The two minutes' warning of a Spot instance. @default "on" */
  readonly spotInterruption?: "off" | "on";
  /** The advice that a Spot instance may be interrupted. @default "on" */
  readonly rebalanceRecommendation?: "off" | "on";
  /** Scheduled changes of EC2 that AWS Health tells of. @default "on" */
  readonly scheduledChange?: "off" | "on";
  /** Instances that somebody stops or terminates by hand. @default "on" */
  readonly stateChange?: "off" | "on";
}

/** What is listened to, and whom it is told. */
export interface EventRulesProps extends EventOptions {
  readonly topic: NoticeTopic;
}

const patterns = {
  spotInterruption: {
    source: ["aws.ec2"],
    detailType: ["EC2 Spot Instance Interruption Warning"],
  },
  rebalanceRecommendation: {
    source: ["aws.ec2"],
    detailType: ["EC2 Instance Rebalance Recommendation"],
  },
  scheduledChange: {
    source: ["aws.health"],
    detailType: ["AWS Health Event"],
    detail: { service: ["EC2"], eventTypeCategory: ["scheduledChange"] },
  },
  stateChange: {
    source: ["aws.ec2"],
    detailType: ["EC2 Instance State-change Notification"],
    detail: { state: ["stopping", "shutting-down", "stopped", "terminated"] },
  },
} satisfies Record<keyof EventOptions, EventPattern>;

const ruleNames = {
  spotInterruption: "SpotInterruption",
  rebalanceRecommendation: "RebalanceRecommendation",
  scheduledChange: "ScheduledChange",
  stateChange: "StateChange",
} satisfies Record<keyof EventOptions, string>;

const kinds = [
  "spotInterruption",
  "rebalanceRecommendation",
  "scheduledChange",
  "stateChange",
] satisfies (keyof EventOptions)[];

/** Hands what EventBridge hears of instances to the topic. */
export class EventRules extends Construct {
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, { topic, ...options }: EventRulesProps) {
    super(scope, id);
    // A target that grants nothing by itself: the topic lets in these rules alone, and no others.
    const target: IRuleTarget = { bind: () => ({ arn: topic.topic.topicArn }) };
    this.rules = kinds
      .filter((kind) => (options[kind] ?? "on") === "on")
      .map(
        (kind) =>
          new Rule(this, ruleNames[kind], { eventPattern: patterns[kind], targets: [target] }),
      );
    topic.admitRules(this.rules);
  }
}
