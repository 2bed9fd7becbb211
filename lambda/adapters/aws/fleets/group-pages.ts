import {
  type Activity,
  type AutoScalingClient,
  DescribeScalingActivitiesCommand,
  DescribeWarmPoolCommand,
  type DescribeWarmPoolCommandOutput,
  type Instance,
} from "@aws-sdk/client-auto-scaling";
import { told } from "../aws-fault.ts";

/** The scaling activities of a group, the newest first; the next page is read only when it is wanted. */
export async function* activitiesOf(
  client: AutoScalingClient,
  AutoScalingGroupName: string,
): AsyncGenerator<Activity> {
  let next: string | undefined;
  do {
    const request = { AutoScalingGroupName, NextToken: next };
    const page = await client.send(new DescribeScalingActivitiesCommand(request));
    yield* page.Activities ?? [];
    next = page.NextToken;
  } while (next !== undefined && next !== "");
}

/** The instances in the warm pool of a group. */
export function warmPoolOf(client: AutoScalingClient, group: string): Promise<readonly Instance[]> {
  return told(`reading the warm pool of ${group}`, async () => {
    const found: Instance[] = [];
    let NextToken: string | undefined;
    do {
      const page: DescribeWarmPoolCommandOutput = await client.send(
        new DescribeWarmPoolCommand({ AutoScalingGroupName: group, NextToken }),
      );
      found.push(...(page.Instances ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined && NextToken !== "");
    return found;
  });
}
