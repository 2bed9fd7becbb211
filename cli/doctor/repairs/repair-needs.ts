import type { RepairConfig } from "../../../lambda/config/repair-config.ts";
import { recordPrefix } from "../../../lambda/domain/repair/repair-record.ts";
import type { GroupAt } from "../../connect/groups-at.ts";
import type { Need } from "../links/needs.ts";

/** What the role of the repair function needs in AWS besides its queue and its log. */
export function repairNeeds(
  { region, drain }: Pick<RepairConfig, "drain" | "region">,
  role: string,
  groups: readonly Pick<GroupAt, "name">[],
): readonly Need[] {
  const [, partition = "", , , account = ""] = role.split(":");
  const arn = (service: string, resource: string) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const tagged = (prefix: string) =>
    Object.fromEntries(
      drain.managed.flatMap((one) =>
        typeof one === "string" ? [] : [[`${prefix}:ResourceTag/${one.key}`, one.value]],
      ),
    );
  return groups.flatMap(({ name }) => [
    { actions: reads, resources: ["*"], context: {} },
    {
      actions: writes,
      resources: [arn("autoscaling", `autoScalingGroup:id:autoScalingGroupName/${name}`)],
      context: { ...tagged("autoscaling"), "aws:TagKeys": `${recordPrefix}i-0` },
    },
    {
      actions: ["ec2:RebootInstances"],
      resources: [arn("ec2", "instance/i-0")],
      context: { ...tagged("aws"), "aws:ResourceTag/aws:autoscaling:groupName": name },
    },
  ]);
}

const reads = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeInstanceRefreshes",
  "autoscaling:DescribeScalingActivities",
  "autoscaling:DescribeWarmPool",
  "arc-zonal-shift:ListZonalShifts",
  "ec2:DescribeInstances",
];
const writes = [
  "autoscaling:CreateOrUpdateTags",
  "autoscaling:DeleteTags",
  "autoscaling:SetInstanceHealth",
];
