import type { Construct } from "constructs";
import { admissionOf, type CompleteProps } from "../complete-props.ts";
import { assertRepairs } from "../repair/repairs.ts";
import { assertAccess } from "./assert-access.ts";
import { assertBackInTime } from "./assert-back-in-time.ts";
import { assertGroups, assertSome, assertTag } from "./assert-groups.ts";
import { assertNamed } from "./assert-named.ts";
import { assertRetention } from "./assert-retention.ts";
import { defaultHeartbeat, defaultVisibility } from "./limits.ts";

/** Refuses props that could not work together, or not with the groups. */
export function assertProps(scope: Construct, props: CompleteProps): void {
  assertSome(props.groups, props.groupTag);
  assertGroups(scope, props.groups);
  if (props.drain?.atDeadline === "ABANDON") assertRetention(props.groups);
  if (props.groupTag !== undefined) assertTag(props.groupTag);
  if (props.repairs === "on") assertRepairs(props);
  const admission = admissionOf(props);
  assertAccess(admission);
  const { cluster, upgrades, nodeRoles, launchTemplates } = props;
  const { clusterName } = cluster;
  assertNamed({ clusterName, admission, upgrades, nodeRoles, launchTemplates });
  const { visibility = defaultVisibility } = props.queue ?? {};
  const { heartbeat = defaultHeartbeat } = props.hooks ?? {};
  assertBackInTime(visibility, heartbeat);
}
