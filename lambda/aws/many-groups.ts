import {
  type AutoScalingClient,
  type AutoScalingGroup,
  type AutoScalingInstanceDetails,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
} from "@aws-sdk/client-auto-scaling";
import { type GroupName, groupName, type InstanceId, instanceId } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { partsOf } from "../base/parts.ts";
import type { Membership } from "../notice/lifecycle-action.ts";
import { listIn } from "./aws-fault.ts";

/** The tags of a group, as Auto Scaling tells them. */
export const labelsOf = (tags: AutoScalingGroup["Tags"] = []): Labels =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value ?? ""]));

// Neither request takes more, and neither answers with more.
// See https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_DescribeAutoScalingInstances.html
const most = 50;

/** Where many instances are, 50 in each request; those that are in no group are left out. */
export async function membershipsOf(
  client: AutoScalingClient,
  instances: readonly InstanceId[],
  doing: string,
): Promise<ReadonlyMap<InstanceId, Membership>> {
  const answers = partsOf(instances, most).map((InstanceIds) =>
    client.send(new DescribeAutoScalingInstancesCommand({ InstanceIds })),
  );
  const found: readonly AutoScalingInstanceDetails[] = (await Promise.all(answers)).flatMap(
    (answer) => listIn(answer, "AutoScalingInstances", doing),
  );
  return new Map(found.map((one) => [instanceId(one.InstanceId ?? ""), membershipIn(one)]));
}

/** What Auto Scaling says of an instance. */
export const membershipIn = (details: Partial<AutoScalingInstanceDetails> = {}): Membership =>
  details.AutoScalingGroupName === undefined
    ? { kind: "none" }
    : {
        kind: "member",
        group: groupName(details.AutoScalingGroupName),
        state: details.LifecycleState ?? "Unknown",
      };

/** The tags of many groups, 50 in each request; those that are not there are left out. */
export async function tagsOf(
  client: AutoScalingClient,
  groups: readonly GroupName[],
  doing: string,
): Promise<ReadonlyMap<GroupName, Labels>> {
  const answers = partsOf(groups, most).map((AutoScalingGroupNames) =>
    client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames })),
  );
  const found: readonly AutoScalingGroup[] = (await Promise.all(answers)).flatMap((answer) =>
    listIn(answer, "AutoScalingGroups", doing),
  );
  return new Map(
    found.map(({ AutoScalingGroupName: name = "", Tags }) => [groupName(name), labelsOf(Tags)]),
  );
}
