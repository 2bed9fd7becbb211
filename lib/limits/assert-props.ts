import { Token } from "aws-cdk-lib";
import { CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import type { Construct } from "constructs";
import { fileKeyOf, type Naming, unnamedIn } from "../cluster-file/unnamed.ts";
import { admissionOf, type CompleteProps } from "../complete-props.ts";
import { type ManagedGroup, nameOf } from "../managed-group.ts";
import { Refusal } from "../refusal.ts";
import { assertRepairs } from "../repair/repairs.ts";
import { assertAccess } from "./assert-access.ts";
import { assertBackInTime } from "./assert-back-in-time.ts";
import { assertGroups, assertSome, assertTag } from "./assert-groups.ts";
import { defaultHeartbeat, defaultVisibility } from "./limits.ts";

/** Refuses props that could not work together, or not with the groups. */
export function assertProps(scope: Construct, props: CompleteProps): void {
  assertSome(props.groups, props.groupTag);
  assertGroups(scope, props.groups);
  if (props.drain?.atDeadline === "ABANDON") assertRetention(props.groups);
  if (props.groupTag !== undefined) assertTag(props.groupTag);
  if (props.repairs === "on") assertRepairs(props);
  const admission = admissionOf(props);
  assertAccess(admission);
  const { cluster, upgrades, nodeRoles, launchTemplates } = props;
  const { clusterName } = cluster;
  assertNamed({ clusterName, admission, upgrades, nodeRoles, launchTemplates });
  const { visibility = defaultVisibility } = props.queue ?? {};
  const { heartbeat = defaultHeartbeat } = props.hooks ?? {};
  assertBackInTime(visibility, heartbeat);
}

/** Refuses a deployment that does not name what it needs. */
function assertNamed(naming: Naming): void {
  const clusterName = Token.isUnresolved(naming.clusterName) ? "NAME" : naming.clusterName;
  const unnamed = unnamedIn({ ...naming, clusterName });
  if (unnamed.length === 0) return;
  const wants = unnamed.map(
    (one) => `${one.list} (${fileKeyOf(one)} of the cluster's file): expected ${one.expected}`,
  );
  throw new Refusal(wants.join("\n"));
}

/**
 * Refuses to keep instances of groups that do not retain them, as far as this app makes the groups. Whether a group that
 * is only named retains them, the function asks Auto Scaling in each pass.
 */
function assertRetention(groups: readonly ManagedGroup[]): void {
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
