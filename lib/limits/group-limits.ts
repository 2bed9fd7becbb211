import { Stack, Token } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { environment } from "../../lambda/base/contract.ts";
import type { GroupTag } from "../../lambda/base/ids.ts";
import { type ManagedGroup, nameOf } from "../managed-group.ts";
import { Refusal } from "../refusal.ts";

// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: Lambda measures the environment as JSON
const mostBytes = 4096;
// A stack has 500 resources at most, of which 80 are no hooks, and a role ten managed policies, into which CDK splits the ARNs of groups.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
const mostGroups = 210;

const longestQueueUrl = "https://sqs.us-gov-west-1.amazonaws.com/123456789012/".length + 80;
const suffix = "-0123456789abcdef".length;

/** Refuses so many groups that a stack cannot hold their hooks, or a role's policies their ARNs. */
export function assertHooksFit(groups: number): void {
  if (groups <= mostGroups) return;
  throw new Refusal(
    `${groups} groups are more than a stack of 500 resources and a role of ten policies have room for; ${mostGroups} will do`,
  );
}

/** Refuses so many groups that the function's environment cannot hold their names. */
export function assertNamesFit(
  scope: Construct,
  groups: readonly ManagedGroup[],
  tags: readonly GroupTag[],
  variables: Readonly<Record<string, string>>,
) {
  const names = groups.map((group) => longestName(scope, group));
  const bytesWith = (count: number) => bytesOf([...names.slice(0, count), ...tags], variables);
  const bytes = bytesWith(names.length);
  if (bytes <= mostBytes) return;
  let most = names.length;
  while (most > 0 && bytesWith(most) > mostBytes) most -= 1;
  throw new Refusal(
    `${names.length} groups of such names need ${bytes} bytes of environment, and a function has ${mostBytes}; ${most} will do`,
  );
}

function bytesOf(
  names: readonly (string | GroupTag)[],
  variables: Readonly<Record<string, string>>,
): number {
  const known = Object.entries(variables).map(([key, value]) => [
    key,
    Token.isUnresolved(value) ? "x".repeat(longestQueueUrl) : value,
  ]);
  const managed = { [environment.managedGroups]: JSON.stringify(names) };
  return Buffer.byteLength(JSON.stringify({ ...Object.fromEntries(known), ...managed }));
}

const arnWithoutName =
  "arn:aws-us-gov:autoscaling:us-gov-west-1:123456789012:autoScalingGroup:*:autoScalingGroupName/"
    .length;
// CDK's own estimate: https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.aws_iam-readme.html
const usualArn = 150;

/**
 * Tells CDK how long the ARNs of the groups are: it splits the policy of a role by an estimate, and IAM refuses a policy that
 * it has estimated too short.
 */
export function estimateArns(scope: Construct, groups: readonly ManagedGroup[]): void {
  const names = groups.map((group) => longestName(scope, group).length);
  const longest = arnWithoutName + Math.max(0, ...names);
  if (longest > usualArn) scope.node.setContext("@aws-cdk/aws-iam.arnSizeEstimate", longest);
}

/** The name of a group. If only CloudFormation knows it, the longest name that CloudFormation makes. */
function longestName(scope: Construct, group: ManagedGroup): string {
  const name = nameOf(group);
  if (typeof group === "string" || !Token.isUnresolved(name)) return name;
  const logicalId = JSON.stringify(Stack.of(scope).resolve(name));
  return "x".repeat(Stack.of(group).stackName.length + logicalId.length + suffix);
}
