import {
  AutoScalingClient,
  DescribeLifecycleHooksCommand,
  type LifecycleHook,
  paginateDescribeAutoScalingGroups,
} from "@aws-sdk/client-auto-scaling";
import { listIn } from "../../lambda/aws/aws-fault.ts";
import { scalingGroupOf } from "../../lambda/aws/scaling-group-of.ts";
import { groupName } from "../../lambda/base/ids.ts";
import { isManaged } from "../../lambda/group/managed-group.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { type AwsAccess, allOf } from "./aws-access.ts";
import { awsParts } from "./aws-parts.ts";
import type { DeploymentParts } from "./deployment-at.ts";
import { type Found, readFrom } from "./found.ts";

/** The hooks of a group: this deployment's, and others. */
export interface HooksByOwner {
  readonly ours: readonly LifecycleHook[];
  readonly others: readonly LifecycleHook[];
}

/** The groups that a deployment manages; all groups of the account if its configuration cannot be read. */
export const groupsAt = async (
  parts: Pick<DeploymentParts, "config">,
  aws: AwsAccess,
): Promise<readonly ScalingGroup[]> => (await allGroups(aws)).filter(isManagedAt(parts));

/** True if a deployment manages a group, as far as its configuration can be read. */
export const isManagedAt =
  ({ config }: Pick<DeploymentParts, "config">) =>
  ({ name, tags }: Pick<ScalingGroup, "name" | "tags">): boolean =>
    config.kind === "unknown" || isManaged(config.value.drain.managed, name, tags);

const clusterTag = "kubernetes.io/cluster/";

/** True if a group has the tag of a cluster, or that of none. */
export const mayBeOf = (cluster: string, { tags }: Pick<ScalingGroup, "tags">): boolean =>
  `${clusterTag}${cluster}` in tags || !Object.keys(tags).some((key) => key.startsWith(clusterTag));

/** The groups of the account. */
export async function allGroups(aws: AwsAccess): Promise<readonly ScalingGroup[]> {
  const client = new AutoScalingClient(aws);
  const pages = paginateDescribeAutoScalingGroups({ client }, {});
  const found = await allOf(pages, (page) => listIn(page, "AutoScalingGroups", "listing groups"));
  return found.map((group) => scalingGroupOf(group, []));
}

/** True if a group is one of a cluster by its tag, and no service looks after it, as EKS does after managed node groups. */
export const isSelfManagedOf = (cluster: string, { tags, operator }: ScalingGroup): boolean =>
  `${clusterTag}${cluster}` in tags && !("eks:nodegroup-name" in tags) && operator === "";

/** The instances of a group; `absent` if there is no such group. */
export const instancesOf = (
  group: string,
  aws: AwsAccess,
): Promise<Found<readonly string[] | "absent">> =>
  readFrom(`describing group ${group}`, "autoscaling:DescribeAutoScalingGroups", async () => {
    const found = await awsParts(aws).groups.group(groupName(group));
    return found === "absent" ? found : found.instances.map(({ id }) => id);
  });

/**
 * The hooks of a group. A hook is this deployment's if it notifies the deployment's topic or queue. If these are unknown,
 * every hook may be.
 */
export async function hooksAt(
  group: string,
  parts: Pick<DeploymentParts, "output">,
  aws: AwsAccess,
): Promise<HooksByOwner> {
  const answer = await new AutoScalingClient(aws).send(
    new DescribeLifecycleHooksCommand({ AutoScalingGroupName: group }),
  );
  const hooks = listIn(answer, "LifecycleHooks", `describing the hooks of ${group}`);
  const targets = [parts.output("TopicArn"), parts.output("QueueArn")].flatMap((found) =>
    found.kind === "known" ? [found.value] : [],
  );
  const isOurs = ({ NotificationTargetARN: target = "" }: LifecycleHook): boolean =>
    targets.length === 0 || targets.includes(target);
  return {
    ours: hooks.filter(isOurs),
    others: hooks.filter((hook) => !isOurs(hook)),
  };
}
