import { CfnOutput } from "aws-cdk-lib";
import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { UpgradeOutputName } from "../../lambda/contract.ts";
import { type GroupFunctionProps, groupFunction } from "../function/group-function.ts";
import { journalMetric } from "../function/journal-metrics.ts";
import type { QueueFunction } from "../function/queue-function.ts";
import { WorkQueue } from "../function/work-queue.ts";
import { upgradePermissions } from "./upgrade-permissions.ts";

/** The groups, the network and the settings of the upgrade function, which has a queue of its own. */
export type UpgradesProps = Omit<
  GroupFunctionProps,
  "concurrency" | "queue" | "reservedConcurrency"
>;

// The least that an event source mapping takes. Ten upgrades share an invocation.
const concurrency = 2;

/**
 * Upgrades groups on demand: a queue of commands, and a function with a role of its own. Each pass that ends well renews its
 * message by the 20th receive, as those of drains do, so that an upgrade may take longer than the queue keeps a message.
 */
export class Upgrades extends Construct {
  readonly queue: WorkQueue;
  readonly upgradeFunction: QueueFunction;
  /** Counts the upgrades that cannot go on, at the moment at which they begin to put back. */
  readonly failed: MetricFilter;

  constructor(scope: Construct, id: string, props: UpgradesProps) {
    super(scope, id);
    this.queue = new WorkQueue(this, "Commands");
    const { clusterName } = props.surroundings.cluster;
    this.upgradeFunction = groupFunction(this, "Upgrade", {
      ...props,
      concurrency,
      queue: this.queue,
      bundle: "upgrade",
      description: `Upgrades groups of nodes of cluster ${clusterName}`,
      roleDescription: "Upgrades the managed groups to another version of their launch template",
      grants: upgradePermissions,
    });
    const { logGroup } = this.upgradeFunction;
    const pattern = '{ $.kind = "upgrade-failing" }';
    this.failed = journalMetric(this, "FailedUpgrades", { logGroup, clusterName, pattern });
  }

  /** Tells in a stack's outputs what the commands need to know about upgrades. */
  tellOutputs(scope: Construct): void {
    const values: Readonly<Record<UpgradeOutputName, string>> = {
      UpgradeQueueUrl: this.queue.queue.queueUrl,
      UpgradeDeadLettersUrl: this.queue.deadLetters.queueUrl,
      UpgradeFunctionName: this.upgradeFunction.function.functionName,
      UpgradeLogGroupName: this.upgradeFunction.logGroup.logGroupName,
    };
    for (const [id, value] of Object.entries(values)) new CfnOutput(scope, id, { value });
  }
}
