import type { Duration } from "aws-cdk-lib";
import { EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import type { MetricFilter } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { repairMessage, repairsGroup } from "../../lambda/base/contract.ts";
import { OtherFunction, type OtherFunctionProps } from "../function/other-function.ts";
import type { NodeLifecycleProps } from "../node-lifecycle-props.ts";
import { Refusal } from "../refusal.ts";
import { repairPermissions } from "./repair-permissions.ts";

/** The groups, the network and the settings of the repair function. */
export interface RepairsProps extends OtherFunctionProps {
  /** How often the groups are looked at. */
  readonly every: Duration;
}

/** Repairs instances: a schedule that asks for a pass, a queue, and a function with a role of its own. Passes may overlap. */
export class Repairs extends OtherFunction {
  readonly every: Duration;
  /** Counts how often a pass repairs nothing more of a group because of a brake or a fault that somebody should know of. */
  readonly held: MetricFilter;

  constructor(scope: Construct, id: string, { every, ...props }: RepairsProps) {
    const { clusterName } = props.surroundings.cluster;
    const work = {
      name: "Repair",
      property: "Repairs",
      kubernetesGroup: repairsGroup,
      messages: "Passes",
      bundle: "repair",
      description: `Repairs groups of nodes of cluster ${clusterName}`,
      roleDescription: "Replaces and reboots instances of the managed groups whose nodes are ill",
      grants: repairPermissions,
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
}

/** Asks for a pass, and says when it was asked for: a pass that comes late leaves the work to the next. */
const passAt = RuleTargetInput.fromObject({ ...repairMessage, time: EventField.time });

// A group that repairs as many instances as it may waits for nobody, and a dry run repairs none. What AWS or the API
// server refuses is repaired as little as what a brake holds. A function whose clock is ahead takes every message for old.
const heldPattern =
  '{ ($.kind = "fault") || (($.kind = "repair-held") && ($.brake != "at-once") && ($.brake != "dry-run")) || (($.kind = "warning") && ($.about = "the message")) }';

/** Refuses repairs that could not work as they are asked for. */
export function assertRepairs({ drain = {}, repair = {} }: NodeLifecycleProps): void {
  const { every, mode } = repair;
  const seconds = every?.toSeconds() ?? 0;
  if (seconds % 60 !== 0)
    throw new Refusal(
      `repair.every is ${seconds} seconds, and EventBridge counts in whole minutes; ${Math.ceil(seconds / 60) * 60} will do`,
    );
  if (drain.mode === "dry-run" && mode !== "dry-run")
    throw new Refusal(
      'with drain.mode "dry-run" instances end undrained, so repairs would end the pods of ill nodes at once; repair.mode "dry-run" will do',
    );
}
