import { recordPrefix } from "../../lambda/repair/repair-record.ts";
import {
  drainPermissions,
  type GroupTarget,
  toSeeDoings,
  toTag,
} from "../function/function-permissions.ts";
import type { PermissionGrant } from "../function/permission-grant.ts";

/**
 * The permissions of the repair function besides those of every queue's function.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
 */
export const repairPermissions: readonly PermissionGrant<GroupTarget>[] = [
  ...drainPermissions,
  toSeeDoings(
    "repair nothing while Auto Scaling cannot launch, or refreshes a group's instances itself, and leave those alone that it keeps warm",
  ),
  {
    actions: ["arc-zonal-shift:ListZonalShifts"],
    on: "any",
    for: "calls",
    why: "repair nothing in a zone that somebody has shifted traffic away from; knows no resources",
  },
  toTag(`${recordPrefix}*`, "write down which instances were repaired"),
  {
    actions: ["autoscaling:SetInstanceHealth"],
    on: "managed groups",
    for: "calls",
    why: "have a group replace an instance",
  },
  {
    actions: ["ec2:RebootInstances"],
    on: "managed instances",
    for: "calls",
    why: "reboot an instance; if its tag `aws:autoscaling:groupName` names a managed group",
  },
];
