import { CfnOutput, Fn, RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { RegionAt } from "./cluster-place.ts";
import { RegionStack } from "./region-stack.ts";

/** The name of the stack, and of its exported output. No cluster's stack can have it. */
export const regionKeyStack = "EksNodeLifecycleKey";

/**
 * A stack with one key for the topics of all clusters of an account and Region. CloudFormation keeps it as long as the stack
 * of a cluster imports its output.
 */
export class RegionKey extends RegionStack {
  constructor(scope: Construct, id: string, { region, account }: Partial<RegionAt> = {}) {
    const description = "Encrypts the notices of all clusters of a Region whose nodes are drained";
    super(scope, id, { stackName: regionKeyStack, description, region, account });
    const key = new Key(this, "Key", {
      description: "Encrypts the notices of terminating and launching nodes of all clusters",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new CfnOutput(this, "KeyArn", { value: key.keyArn, exportName: regionKeyStack });
  }
}

/** The ARN of that key, for a stack of a cluster in the same account and Region. */
export const regionKeyArn = (): string => Fn.importValue(regionKeyStack);
