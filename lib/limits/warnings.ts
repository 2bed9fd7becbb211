import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type CompleteProps, wantedBy } from "../complete-props.ts";

/** Warns that the function asks IAM for the role of each launching instance, for which a VPC may have no endpoint. */
export function warnOfIam(scope: Construct): void {
  Annotations.of(scope).addWarningV2(
    "eks-node-lifecycle:iamEndpoint",
    'launches are held, and for each the function asks IAM, which has no endpoint in most Regions; if the VPC has no other way to IAM, every launching instance waits out its timeout: "launching": "not held" in hooks will do, and nodes that are registered otherwise',
  );
}

const anyRole =
  "the function may let any role of the account into the cluster as a node; name the roles of the nodes in nodeRoleArns of the cluster's file, or in nodeRoles of the construct";

/** Warns where the function may let in any role of the account, by an access entry. */
export function warnOfAny(scope: Construct, props: CompleteProps): void {
  if (props.nodeRoles === undefined && wantedBy(props).has("launches"))
    Annotations.of(scope).addWarningV2("eks-node-lifecycle:nodeRoles", anyRole);
}
