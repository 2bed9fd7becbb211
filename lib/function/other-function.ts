import { CfnOutput } from "aws-cdk-lib";
import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { OwnOutputName } from "../../lambda/base/contract.ts";
import { type GroupFunctionProps, type GroupWork, groupFunction } from "./group-function.ts";
import { journalMetric } from "./journal-metrics.ts";
import type { QueueFunction } from "./queue-function.ts";
import { WorkQueue } from "./work-queue.ts";

/** The groups, the network and the settings of a function besides the node function, which has a queue of its own. */
export type OtherFunctionProps = Omit<
  GroupFunctionProps,
  "concurrency" | "queue" | "reservedConcurrency"
>;

/** What a function does besides the node function's work. */
export interface OtherWork extends GroupWork {
  readonly name: "Repair" | "Upgrade";
  /** The property by which the deployer hears of it. */
  readonly property: "Repairs" | "Upgrades";
  /** Its Kubernetes group. */
  readonly kubernetesGroup: string;
  /** The id of its queue. */
  readonly messages: string;
}

// The least that an event source mapping takes. Ten messages share an invocation.
const concurrency = 2;

/** A function besides the node function: its queue, its role, and what its journal counts. */
export abstract class OtherFunction extends Construct {
  readonly queue: WorkQueue;
  readonly function: QueueFunction;
  readonly work: OtherWork;
  readonly #clusterName: string;

  constructor(scope: Construct, id: string, props: OtherFunctionProps & { work: OtherWork }) {
    super(scope, id);
    const { work, ...others } = props;
    this.work = work;
    this.#clusterName = props.surroundings.cluster.clusterName;
    this.queue = new WorkQueue(this, work.messages);
    const deployed = { ...others, ...work, concurrency, queue: this.queue };
    this.function = groupFunction(this, work.name, deployed);
  }

  /** Tells in a stack's outputs what the commands need to know about the function. */
  tellOutputs(scope: Construct): void {
    const values: Readonly<Record<OwnOutputName, string>> = {
      QueueUrl: this.queue.queue.queueUrl,
      DeadLettersUrl: this.queue.deadLetters.queueUrl,
      FunctionName: this.function.function.functionName,
      LogGroupName: this.function.logGroup.logGroupName,
    };
    for (const [id, value] of Object.entries(values))
      new CfnOutput(scope, `${this.work.name}${id}`, { value });
  }

  /** Counts the lines of the function's journal that fit a pattern. */
  protected counted(metricName: string, pattern: string): MetricFilter {
    const { logGroup } = this.function;
    return journalMetric(this, metricName, { logGroup, clusterName: this.#clusterName, pattern });
  }
}
