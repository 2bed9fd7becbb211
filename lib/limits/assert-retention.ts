import { CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { type ManagedGroup, nameOf } from "../managed-group.ts";
import { Refusal } from "../refusal.ts";

/**
 * Refuses to keep instances of groups that do not retain them, as far as this app makes the groups. Whether a group that
 * is only named retains them, the function asks Auto Scaling in each pass.
 */
export function assertRetention(groups: readonly ManagedGroup[]): void {
  for (const group of groups)
    if (isMadeHere(group) && !retains(group))
      throw new Refusal(
        `drain.atDeadline is "ABANDON", but group ${nameOf(group)} retains no abandoned instance, and ABANDON would end it at once; its instanceLifecyclePolicy.retentionTriggers.terminateHookAbandon has to be "retain", or drain.atDeadline "CONTINUE"`,
      );
}

const isMadeHere = (group: ManagedGroup): boolean => resourceOf(group) !== undefined;

const resourceOf = (group: ManagedGroup): CfnAutoScalingGroup | undefined => {
  const made = typeof group === "string" ? undefined : group.node.defaultChild;
  return made instanceof CfnAutoScalingGroup ? made : undefined;
};

function retains(group: ManagedGroup): boolean {
  const policy = resourceOf(group)?.instanceLifecyclePolicy;
  if (policy === undefined) return false;
  // A value that only CloudFormation knows may be right.
  if (!("retentionTriggers" in policy)) return true;
  const { retentionTriggers: triggers } = policy;
  if (triggers === undefined || !("terminateHookAbandon" in triggers)) return true;
  return triggers.terminateHookAbandon === "retain";
}
