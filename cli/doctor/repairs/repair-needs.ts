import type { RepairConfig } from "../../../lambda/config/repair-config.ts";
import { recordPrefix } from "../../../lambda/domain/repair/repair-record.ts";
import { repairPermissions } from "../../../lib/repairs/repair-permissions.ts";
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
    { actions: actionsOn("any"), resources: ["*"], context: {} },
    {
      actions: actionsOn("managed groups"),
      resources: [arn("autoscaling", `autoScalingGroup:id:autoScalingGroupName/${name}`)],
      context: { ...tagged("autoscaling"), "aws:TagKeys": `${recordPrefix}i-0` },
    },
    {
      actions: actionsOn("managed instances"),
      resources: [arn("ec2", "instance/i-0")],
      context: { ...tagged("aws"), "aws:ResourceTag/aws:autoscaling:groupName": name },
    },
  ]);
}

/** What every deployment needs; some do without the others. */
const actionsOn = (target: string): readonly string[] =>
  repairPermissions
    .filter(({ on, wanted }) => on === target && wanted === undefined)
    .flatMap(({ actions }) => actions);
