import { Stack, Token } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { GroupTag } from "../../lambda/base/ids.ts";
import { tagKey, wholeGroupName } from "../cluster-file/group-forms.ts";
import { idOf, type ManagedGroup, nameOf } from "../managed-group.ts";
import { Refusal } from "../refusal.ts";

const mostOfValue = 256;

// EKS names the group of a managed node group so: eks-, the node group, and a UUID.
const ofManagedNodeGroup = /^eks-.+-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Refuses a tag that no group can have, and one that IAM would not take literally. */
export function assertTag({ key, value }: GroupTag): void {
  if (Token.isUnresolved(key) || !tagKey.test(key) || key.includes("${"))
    throw new Refusal(
      `${JSON.stringify(key)} is not the key of a tag by which groups can be chosen; a text of 1 to 128 characters that does not begin with aws: and has no \${ in it will do`,
    );
  if (!Token.isUnresolved(value) && (value.length > mostOfValue || value.includes("${")))
    throw new Refusal(
      `${JSON.stringify(value)} is not the value of a tag by which groups can be chosen; a text of at most ${mostOfValue} characters without \${ will do`,
    );
}

/** Refuses a deployment that looks after no group. */
export function assertSome(groups: readonly ManagedGroup[], tag: GroupTag | undefined): void {
  if (groups.length > 0 || tag !== undefined) return;
  throw new Refusal(
    "there is no group to look after; the name of one Auto Scaling group will do, or a tag that groups have",
  );
}

/** Refuses groups that CDK cannot tell apart, and groups whose names do not fit hooks and policies. */
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
  if (known && ofManagedNodeGroup.test(name))
    throw new Refusal(
      `${JSON.stringify(name)} is the Auto Scaling group of a managed node group: EKS drains its nodes by hooks of the same names; leave it out (docs/migrate/managed-node-groups.md)`,
    );
}

function assertDistinct(scope: Construct, groups: readonly ManagedGroup[]): void {
  const stack = Stack.of(scope);
  const names = groups.map((group) => JSON.stringify(stack.resolve(nameOf(group))));
  const ids = groups.map((group) => idOf(group).replaceAll("/", "--")); // CDK writes ids this way
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index)
      throw new Refusal(`the group ${name} is there twice; once will do`);
    const other = names[ids.indexOf(ids[index] ?? "")];
    if (other !== name)
      throw new Refusal(
        `CDK cannot tell the groups ${other} and ${name} apart; AutoScalingGroup.fromAutoScalingGroupName(scope, id, name) instead of one of the names will do`,
      );
  }
}
