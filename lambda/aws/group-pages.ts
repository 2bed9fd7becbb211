import {
  type Activity,
  type AutoScalingClient,
  type Instance,
  paginateDescribeScalingActivities,
  paginateDescribeWarmPool,
} from "@aws-sdk/client-auto-scaling";
import { ask, listIn } from "./aws-fault.ts";

/** The scaling activities of a group, the newest first; the next page is read only when it is wanted. */
export async function* activitiesOf(
  client: AutoScalingClient,
  AutoScalingGroupName: string,
): AsyncGenerator<Activity> {
  const pages = paginateDescribeScalingActivities({ client }, { AutoScalingGroupName });
  const doing = `reading the scaling activities of ${AutoScalingGroupName}`;
  for await (const page of pages) yield* listIn(page, "Activities", doing);
}

/** The instances in the warm pool of a group. */
export function warmPoolOf(client: AutoScalingClient, group: string): Promise<readonly Instance[]> {
  return ask(`reading the warm pool of ${group}`, async (doing) => {
    const found: Instance[] = [];
    const pages = paginateDescribeWarmPool({ client }, { AutoScalingGroupName: group });
    for await (const page of pages) found.push(...listIn(page, "Instances", doing));
    return found;
  });
}
