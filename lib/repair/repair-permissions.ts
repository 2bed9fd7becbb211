import { recordPrefix } from "../../lambda/repair/repair-record.ts";
import {
  drainPermissions,
  type GroupTarget,
  toSeeDoings,
  toTag,
} from "../function/function-permissions.ts";
import { describes, forCalls, type PermissionGrant } from "../function/permission-grant.ts";

/**
 * The permissions of the repair function besides those of every queue's function. An instance that is rebooted stays in its
 * load balancers, because nobody would register it again.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
 */
export const repairPermissions: readonly PermissionGrant<GroupTarget>[] = [
  ...drainPermissions.filter(({ wanted }) => wanted !== "deregistration"),
  toSeeDoings(
    "repair nothing while Auto Scaling cannot launch, or refreshes a group's instances itself, and leave those alone that it keeps warm",
  ),
  describes(
    ["arc-zonal-shift:ListZonalShifts"],
    "repair nothing in a zone that somebody has shifted traffic away from",
  ),
  toTag(`${recordPrefix}*`, "write down which instances were repaired"),
  forCalls("managed groups", ["autoscaling:SetInstanceHealth"], "have a group replace an instance"),
  forCalls(
    "managed instances",
    ["ec2:RebootInstances"],
    "reboot an instance; if its tag `aws:autoscaling:groupName` names a managed group",
  ),
];
