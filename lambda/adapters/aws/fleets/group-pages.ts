import {
  type Activity,
  type AutoScalingClient,
  type Instance,
  paginateDescribeScalingActivities,
  paginateDescribeWarmPool,
} from "@aws-sdk/client-auto-scaling";
import { told } from "../aws-fault.ts";

/** The scaling activities of a group, the newest first; the next page is read only when it is wanted. */
export async function* activitiesOf(
  client: AutoScalingClient,
  AutoScalingGroupName: string,
): AsyncGenerator<Activity> {
  const pages = paginateDescribeScalingActivities({ client }, { AutoScalingGroupName });
  for await (const { Activities: activities = [] } of pages) yield* activities;
}

/** The instances in the warm pool of a group. */
export function warmPoolOf(client: AutoScalingClient, group: string): Promise<readonly Instance[]> {
  return told(`reading the warm pool of ${group}`, async () => {
    const found: Instance[] = [];
    const pages = paginateDescribeWarmPool({ client }, { AutoScalingGroupName: group });
    for await (const { Instances: instances = [] } of pages) found.push(...instances);
    return found;
  });
}
