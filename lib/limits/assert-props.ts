import { Duration, Reference, Stack, Token, Tokenization } from "aws-cdk-lib";
import { CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import type { Construct, IConstruct } from "constructs";
import { functionTimeoutSeconds, passSeconds } from "../../lambda/base/contract.ts";
import type { GroupTag } from "../../lambda/base/ids.ts";
import { seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { longestRestWithin } from "../../lambda/drain/drain-bounds.ts";
import { longestBeforeMarking } from "../../lambda/notice/next-pass.ts";
import {
  choosingKey,
  choosingKeyForm,
  managedNodeGroup,
  wholeGroupName,
} from "../cluster-file/name-schema.ts";
import { fileKeyOf, type Naming, unnamedIn } from "../cluster-file/unnamed.ts";
import type { ClusterPlace } from "../cluster-place.ts";
import { admissionOf, type CompleteProps } from "../complete-props.ts";
import { type ManagedGroup, nameOf } from "../managed-group.ts";
import { Refusal } from "../refusal.ts";
import * as subjects from "../subjects.ts";
import { assertAccess } from "./assert-access.ts";
import { assertNames } from "./assert-names.ts";
import { defaultHeartbeat, defaultVisibility } from "./limits.ts";

/** Refuses props that contradict each other or the groups. */
export function assertProps(scope: Construct, props: CompleteProps): void {
  assertSome(props.groups, props.groupTag);
  assertGroups(scope, props.groups);
  assertNames(props);
  if (props.drain?.atDeadline === "ABANDON") assertRetention(props.groups);
  if (props.groupTag !== undefined) assertTag(props.groupTag);
  for (const { assertFit } of Object.values(subjects)) assertFit(props);
  const admission = admissionOf(props);
  assertAccess(admission);
  const { cluster, upgrades, nodeRoles, launchTemplates } = props;
  const { clusterName } = cluster;
  assertNamed({ clusterName, admission, upgrades, nodeRoles, launchTemplates });
  const { visibility = defaultVisibility } = props.queue ?? {};
  const { heartbeat = defaultHeartbeat } = props.hooks ?? {};
  assertBackInTime(visibility, heartbeat);
}

/** The construct of a deployment. */
interface ClusterConstruct extends IConstruct {
  readonly cluster: ClusterPlace;
}

/** Refuses a second construct for the same cluster, because both would create the same hooks and rights. */
export function assertOnly(
  deployment: ClusterConstruct,
  deployments: readonly ClusterConstruct[],
): void {
  const other = deployments.find(
    (one) => one !== deployment && clusterOf(one) === clusterOf(deployment),
  );
  if (other === undefined) return;
  const { clusterName } = deployment.cluster;
  const name = Token.isUnresolved(clusterName) ? "that CDK makes" : clusterName;
  throw new Refusal(
    `${other.node.path} and ${deployment.node.path} are both for the cluster ${name}; one with all groups will do`,
  );
}

/** The account, the Region and the name of a cluster, as far as CDK knows them before the deployment. */
function clusterOf(deployment: ClusterConstruct): string {
  const { account, region } = Stack.of(deployment);
  const { clusterName } = deployment.cluster;
  const place = [account, region].map((part) => (Token.isUnresolved(part) ? "" : part));
  return JSON.stringify([...place, clusterName]);
}

/** Refuses a deployment without the names that it needs. */
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
 * Refuses to keep instances of groups that do not retain them, if the app creates the groups. For groups that are only
 * named, the function asks Auto Scaling in each pass.
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

const longestRest = wholeSeconds(longestBeforeMarking);
const start = 20; // time to receive the notice again, start the function, call Auto Scaling, and send a heartbeat
const leastVisibility = functionTimeoutSeconds + 1;

/**
 * The longest visibility timeout, in seconds, with which the hook does not time out after a crash of the function.
 *
 * The worst case: a pass sends a heartbeat when it starts, works, and rests. Then a function receives the notice and crashes
 * before its first call. The next function receives the notice only after the visibility timeout, and only then sends the
 * next heartbeat.
 */
export function longestVisibility(heartbeat: Duration): number {
  const beat = heartbeat.toSeconds();
  const worked = Math.min(passSeconds, beat / 2); // a pass sends a heartbeat when half of the timeout is over
  const rested = Math.min(longestRest, longestRestWithin(seconds(beat)) / 1000);
  return Math.floor(beat - worked - rested - start);
}

/** Refuses a visibility timeout so long that, after a crash of the function, the hook times out before the notice is back. */
export function assertBackInTime(visibility: Duration, heartbeat: Duration): void {
  const asked = visibility.toSeconds();
  const most = longestVisibility(heartbeat);
  if (asked <= most) return;
  const beat = heartbeat.toSeconds();
  const enough =
    most >= leastVisibility
      ? `a visibility timeout of ${most} will do`
      : `a heartbeat timeout of ${leastHeartbeat()} with a visibility timeout of ${defaultVisibility.toSeconds()} will do`;
  throw new Refusal(
    `after a crash a notice would be back in the queue ${asked} seconds later, its visibility timeout, when a hook with a heartbeat timeout of ${beat} may have run out; ${enough}`,
  );
}

/** The shortest heartbeat timeout with which the hook does not time out after a crash, if the queue has its default visibility timeout. */
function leastHeartbeat(): number {
  let beat = defaultVisibility.toSeconds();
  while (longestVisibility(Duration.seconds(beat)) < defaultVisibility.toSeconds()) beat += 1;
  return beat;
}

const mostOfValue = 256;

/** Refuses a tag that no group can have, that IAM would not take literally, or that the functions write themselves. */
export function assertTag({ key, value }: GroupTag): void {
  if (Token.isUnresolved(key) || !choosingKey.test(key))
    throw new Refusal(
      `groupTag.key is ${JSON.stringify(key)}, by which no groups can be chosen; expected ${choosingKeyForm}`,
    );
  if (!Token.isUnresolved(value) && (value.length > mostOfValue || value.includes("${")))
    throw new Refusal(
      `${JSON.stringify(value)} is not the value of a tag by which groups can be chosen; a text of at most ${mostOfValue} characters without \${ will do`,
    );
}

/** Refuses a deployment without groups. */
function assertSome(groups: readonly ManagedGroup[], tag: GroupTag | undefined): void {
  if (groups.length > 0 || tag !== undefined) return;
  throw new Refusal(
    "there is no group to look after; the name of one Auto Scaling group will do, or a tag that groups have",
  );
}

/** Refuses groups that CDK cannot distinguish, and groups whose names are not allowed in hooks and policies. */
export function assertGroups(scope: Construct, groups: readonly ManagedGroup[]): void {
  for (const group of groups) assertName(group);
  assertDistinct(scope, groups);
}

function assertName(group: ManagedGroup): void {
  const name = nameOf(group);
  const known = !Token.isUnresolved(name);
  if (typeof group === "string" && !known)
    throw new Refusal(
      "the name of a group is a token, which is not known until the deployment: the group itself, as CDK made it, will do, or AutoScalingGroup.fromAutoScalingGroupName(scope, id, name)",
    );
  if (known && !wholeGroupName.test(name))
    throw new Refusal(
      `${JSON.stringify(name)} is not the name of one Auto Scaling group; a whole name without wildcards, colons and blanks around it will do`,
    );
  if (known && managedNodeGroup.test(name))
    throw new Refusal(
      `${JSON.stringify(name)} is the Auto Scaling group of a managed node group: EKS drains its nodes by hooks of the same names; leave it out (docs/migrate/managed-node-groups.md)`,
    );
}

function assertDistinct(scope: Construct, groups: readonly ManagedGroup[]): void {
  const stack = Stack.of(scope);
  const seen = new Set<string>();
  for (const name of groups.map(nameOf)) {
    const text = JSON.stringify(stack.resolve(name));
    const { firstToken } = Tokenization.reverseString(name);
    // Two stacks may have resources with the same logical id.
    const of = Reference.isReference(firstToken) ? firstToken.target.node.path : "";
    if (seen.has(of + text)) throw new Refusal(`the group ${text} is there twice; once will do`);
    seen.add(of + text);
  }
}
