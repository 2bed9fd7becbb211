import { CfnOutput } from "aws-cdk-lib";
import type { IWidget } from "aws-cdk-lib/aws-cloudwatch";
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import {
  type OtherFunctionName,
  type OwnOutputName,
  otherConcurrency,
} from "../../lambda/base/contract.ts";
import { type AlarmCondition, condition, period } from "../watching/alarm-condition.ts";
import type { CommandPlace } from "./command-place.ts";
import {
  type GroupFunctionProps,
  type GroupFunctionWork,
  groupFunction,
} from "./group-function.ts";
import { journalMetric } from "./journal-metrics.ts";
import type { QueueFunction } from "./queue-function.ts";
import type { Read } from "./reads.ts";
import { WorkQueue } from "./work-queue.ts";

/** The groups, the network and the settings of a function other than the node function. */
export type OtherFunctionProps = Omit<
  GroupFunctionProps,
  "concurrency" | "queue" | "reservedConcurrency"
>;

export interface OtherWork extends GroupFunctionWork {
  readonly name: OtherFunctionName;
  /** The property of the deployer's custom resource. */
  readonly property: `${OtherFunctionName}s`;
  /** Further properties that ask for rights in the cluster. @default none */
  readonly asked?: Readonly<Record<string, string>>;
  readonly kubernetesGroup: string;
  /** The id of its queue. */
  readonly messages: string;
  /** The texts of its alarms. */
  readonly tells: { readonly deadLetters: string; readonly errors: string };
}

/** A function other than the node function: its queue, its role, and the metrics of its journal. */
export abstract class OtherFunction extends Construct {
  readonly queue: WorkQueue;
  readonly function: QueueFunction;
  readonly work: OtherWork;
  protected readonly clusterName: string;

  constructor(scope: Construct, id: string, props: OtherFunctionProps & { work: OtherWork }) {
    super(scope, id);
    const { work, ...others } = props;
    this.work = work;
    this.clusterName = props.surroundings.cluster.clusterName;
    this.queue = new WorkQueue(this, work.messages);
    const deployed = { ...others, ...work, concurrency: otherConcurrency, queue: this.queue };
    this.function = groupFunction(this, work.name, deployed);
  }

  /** The alarms on the function and its queue, and those of its own work. */
  alarmsOn(): readonly AlarmCondition[] {
    const { name, tells } = this.work;
    const waiting = this.queue.metricDeadLetters({ period });
    const errors = this.function.function.metricErrors({ period });
    return [
      { ...condition("deadLetters", tells.deadLetters, waiting), id: `${name}DeadLetters` },
      { ...condition("functionErrors", tells.errors, errors), id: `${name}Errors` },
    ];
  }

  /** The widgets of the dashboard. */
  widgets(): readonly IWidget[] {
    return [];
  }

  /** The reads with which the command `status` judges as the function does. */
  statusReads(): readonly Read[] {
    return [];
  }

  /** The further reads of the command `doctor`. */
  doctorReads(): readonly Read[] {
    return [];
  }

  /** The function, where the command `doctor` looks at its mapping and its role. */
  examined(): readonly QueueFunction[] {
    return [];
  }

  /** Allows to tell the function what is wanted, and to read what becomes of it; nothing where no command asks it. */
  grantCommand(grantee: IGrantable, _its: CommandPlace): Grant {
    return Grant.drop(grantee, "no command asks this function");
  }

  /** Tells in a stack's outputs what the commands need to know about the function. */
  tellOutputs(scope: Construct): void {
    const values: Readonly<Record<OwnOutputName, string>> = {
      QueueUrl: this.queue.queue.queueUrl,
      DeadLettersUrl: this.queue.deadLetters.queueUrl,
      FunctionName: this.function.function.functionName,
      LogGroupName: this.function.logGroup.logGroupName,
      MappingId: this.function.mapping.eventSourceMappingId,
    };
    for (const [id, value] of Object.entries(values))
      new CfnOutput(scope, `${this.work.name}${id}`, { value });
  }

  /** Counts the lines of the function's journal that match a pattern. */
  protected counted(metricName: string, pattern: string): MetricFilter {
    const { logGroup } = this.function;
    const { clusterName } = this;
    return journalMetric(this, metricName, { logGroup, clusterName, pattern });
  }
}
