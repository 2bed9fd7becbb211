import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { upgradesGroup } from "../../lambda/base/contract.ts";
import { OtherFunction, type OtherFunctionProps } from "../function/other-function.ts";
import { upgradePermissions } from "./upgrade-permissions.ts";

/**
 * Upgrades groups on demand: a queue of commands, and a function with a role of its own. Each pass that ends well renews its
 * message by the 20th receive, as those of drains do, so that an upgrade may take longer than the queue keeps a message.
 */
export class Upgrades extends OtherFunction {
  /** Counts the upgrades that cannot go on, at the moment at which they begin to put back. */
  readonly failed: MetricFilter;

  constructor(scope: Construct, id: string, props: OtherFunctionProps) {
    const { clusterName } = props.surroundings.cluster;
    const work = {
      name: "Upgrade",
      property: "Upgrades",
      kubernetesGroup: upgradesGroup,
      messages: "Commands",
      bundle: "upgrade",
      description: `Upgrades groups of nodes of cluster ${clusterName}`,
      roleDescription: "Upgrades the managed groups to another version of their launch template",
      grants: upgradePermissions,
    } as const;
    super(scope, id, { ...props, work });
    this.failed = this.counted("FailedUpgrades", '{ $.kind = "upgrade-failing" }');
  }
}
