import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type CompleteProps, wantedBy } from "../complete-props.ts";

const anyRole =
  "the function may let any role of the account into the cluster as a node; name the roles of the nodes in nodeRoleArns of the cluster's file, or in nodeRoles of the construct";
const anyTemplate =
  "the upgrade function may add versions to any launch template of the account; name those of the groups in launchTemplateIds of the cluster's file, or in launchTemplates of the construct";

/** Warns where a function may use any role or any launch template of the account. */
export function warnOfAny(scope: Construct, props: CompleteProps): void {
  if (props.nodeRoles === undefined && wantedBy(props).has("launches"))
    Annotations.of(scope).addWarningV2("eks-node-lifecycle:nodeRoles", anyRole);
  if (props.launchTemplates === undefined && props.upgrades === "on")
    Annotations.of(scope).addWarningV2("eks-node-lifecycle:launchTemplates", anyTemplate);
}
