import type { RepairConfig } from "../../lambda/repair/repair-config.ts";
import { repairPermissions } from "../../lib/repair/repair-permissions.ts";
import type { GroupAt } from "../connect/groups-at.ts";
import { commonArns, type MakeArn, type Need, neededFor, tagContext } from "../doctor/needs.ts";

/** What the role of the repair function needs in AWS besides its queue and its log. */
export function repairNeeds(
  { region, drain, clusterName }: Pick<RepairConfig, "clusterName" | "drain" | "region">,
  role: string,
  groups: readonly GroupAt[],
): readonly Need[] {
  const [, partition = "", , , account = ""] = role.split(":");
  const arn: MakeArn = (service, resource) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const wanted = new Set<never>();
  const arns = commonArns(arn, clusterName, groups);
  const contexts = { "managed groups": tagContext("autoscaling", drain) };
  return [
    ...neededFor(repairPermissions, { arns, contexts, wanted }),
    ...groups.flatMap(({ name }) => {
      const tags = {
        ...tagContext("aws", drain),
        "aws:ResourceTag/aws:autoscaling:groupName": name,
      };
      const instances = { "managed instances": [arn("ec2", "instance/i-0")] };
      const context = { "managed instances": tags };
      return neededFor(repairPermissions, { arns: instances, contexts: context, wanted });
    }),
  ];
}
