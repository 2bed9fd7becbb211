import { Annotations } from "aws-cdk-lib";
import type { Construct } from "constructs";

/** Warns that the function asks IAM for the role of each launching instance, for which a VPC may have no endpoint. */
export function warnOfIam(scope: Construct): void {
  Annotations.of(scope).addWarningV2(
    "eks-node-lifecycle:iamEndpoint",
    'launches are held, and for each the function asks IAM, which has no endpoint in most Regions; if the VPC has no other way to IAM, every launching instance waits out its timeout: "launching": "not held" in hooks will do, and nodes that are registered otherwise',
  );
}
