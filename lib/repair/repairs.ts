import { Duration } from "aws-cdk-lib";
import { GraphWidget, type IWidget, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { metricsNamespace, repairMessage, repairsGroup } from "../../lambda/base/contract.ts";
import { OtherFunction, type OtherFunctionProps } from "../function/other-function.ts";
import type { QueueFunction } from "../function/queue-function.ts";
import type { Read } from "../function/reads.ts";
import { type AlarmCondition, condition, period } from "../watching/alarm-condition.ts";
import { repairPermissions } from "./repair-permissions.ts";

/** The groups, the network and the settings of the repair function. */
export interface RepairsProps extends OtherFunctionProps {
  /** The interval of the schedule. */
  readonly every: Duration;
  /** The right to restart the node monitoring agent. */
  readonly secondOpinion: "off" | "restart-agent";
}

/** Repairs instances: a schedule that starts passes, a queue, and a function with a role of its own. Passes may overlap. */
export class Repairs extends OtherFunction {
  readonly every: Duration;
  /** Counts passes that leave a group unrepaired because of a brake or a fault that people should know about. */
  readonly held: MetricFilter;

  constructor(scope: Construct, id: string, { every, secondOpinion, ...props }: RepairsProps) {
    const { clusterName } = props.surroundings.cluster;
    const work = {
      name: "Repair",
      property: "Repairs",
      ...(secondOpinion !== "off" && { asked: { SecondOpinion: secondOpinion } }),
      kubernetesGroup: repairsGroup,
      messages: "Passes",
      bundle: "repair",
      description: `Repairs groups of nodes of cluster ${clusterName}`,
      roleDescription: "Replaces and reboots instances of the managed groups whose nodes are ill",
      grants: repairPermissions,
      tells: {
        deadLetters: "A message of the schedule lies in the dead letters.",
        errors: "The repair function crashes or times out.",
      },
    } as const;
    super(scope, id, { ...props, work });
    this.every = every;
    new Rule(this, "Schedule", {
      description: `Has the groups of nodes of cluster ${clusterName} looked at`,
      schedule: Schedule.rate(every),
      targets: [this.queue.asTarget(passAt)],
    });
    this.held = this.counted("HeldRepairs", heldPattern);
  }

  /** Counts over two passes, so that a late pass leaves no gap. */
  override alarmsOn(): readonly AlarmCondition[] {
    const minutes = 2 * this.every.toMinutes();
    const periods = Math.max(2, Math.ceil(60 / minutes));
    return [
      ...super.alarmsOn(),
      condition(
        "heldRepairs",
        `Repairs have been held for ${periods * minutes} minutes: by a brake, by faults, or because each message of the schedule came late.`,
        this.held.metric({ statistic: "Sum", period: Duration.minutes(minutes) }),
        { above: 0, periods },
      ),
    ];
  }

  override widgets(): readonly IWidget[] {
    const ill = new Metric({
      namespace: metricsNamespace + this.clusterName,
      metricName: "IllInstances",
      statistic: "Maximum",
      period,
      label: "ill",
    });
    return [
      new GraphWidget({
        title: "Repairs",
        left: [ill, this.held.metric({ period, statistic: "Sum", label: "held by a brake" })],
        right: [this.function.function.metricErrors({ period, label: "crashes and timeouts" })],
        width: 24,
        height: 6,
      }),
    ];
  }

  /** The actions with `*` know no resources. */
  override statusReads(): readonly Read[] {
    return [
      ["lambda:GetFunctionConfiguration", this.function.function.functionArn],
      ["sqs:GetQueueAttributes", this.queue.queue.queueArn],
      ["autoscaling:DescribeInstanceRefreshes", "*"],
      ["autoscaling:DescribeScalingActivities", "*"],
      ["autoscaling:DescribeWarmPool", "*"],
      ["ec2:DescribeInstances", "*"],
      ["arc-zonal-shift:ListZonalShifts", "*"],
    ];
  }

  override examined(): readonly QueueFunction[] {
    return [this.function];
  }
}

/** The message for a pass, with its time. A pass that comes late leaves the work to the next one. */
const passAt = RuleTargetInput.fromObject({ ...repairMessage, time: EventField.time });

// A group that repairs as many instances as it may waits for nobody, and a dry run repairs none. What AWS or the API
// server refuses is repaired as little as what a brake holds. A function whose clock is ahead takes every message for old.
const heldPattern =
  '{ ($.kind = "fault") || (($.kind = "repair-held") && ($.brake != "at-once") && ($.brake != "dry-run")) || (($.kind = "warning") && ($.about = "the message")) }';
