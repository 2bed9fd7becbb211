import { AutoScalingClient, DescribeAccountSettingsCommand } from "@aws-sdk/client-auto-scaling";
import { listIn } from "../../lambda/aws/aws-fault.ts";
import {
  followsAccount,
  isFull,
  type LaunchSetting,
  launchesFirst,
} from "../../lambda/group/launches-first.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, known, readFrom } from "../connect/found.ts";

/** Says which of some groups may have no room to replace an ill instance, because they launch before they terminate. */
export async function roomRemarks(
  groups: readonly ScalingGroup[],
  aws: AwsAccess,
): Promise<readonly string[]> {
  const full = groups.filter(isFull);
  const account = full.some(followsAccount) ? await launchSetting(aws) : known("disabled" as const);
  if (account.kind === "unknown")
    return [`who comes first when a full group replaces an instance is not known: ${account.why}`];
  return full
    .filter((group) => launchesFirst(group, account.value))
    .map((group) => roomRemark(group));
}

const name = "launchBeforeTerminate";

const launchSetting = (aws: AwsAccess): Promise<Found<LaunchSetting>> =>
  readFrom("reading the account's settings", "autoscaling:DescribeAccountSettings", async () => {
    const answer = await new AutoScalingClient(aws).send(
      new DescribeAccountSettingsCommand({ Name: name }),
    );
    const settings = listIn(answer, "Settings", "reading the account's settings");
    const isOn = settings.some((one) => one.Name === name && one.Value === "enabled");
    return isOn ? "enabled" : "disabled";
  });

function roomRemark({ name: group, sizes: { max }, maintenance }: ScalingGroup): string {
  const why =
    maintenance.kind === "none"
      ? `as the account's setting ${name} says`
      : `as its maintenance policy of ${maintenance.min} to ${maintenance.max} % says`;
  return `group ${group} launches before it terminates, ${why}, and is at its maximum size of ${max}: the replacement of an ill instance may wait for room; raise the maximum size by one`;
}
