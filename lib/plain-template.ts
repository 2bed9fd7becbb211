import { CliCredentialsStackSynthesizer, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Refusal } from "./refusal.ts";

/** Makes a template that needs no bootstrap of CDK, if the context `assetsBucket` names a bucket for the functions' code. */
export function plainTemplate(scope: Construct): Pick<StackProps, "synthesizer"> {
  const bucket: unknown = scope.node.tryGetContext("assetsBucket");
  if (bucket === undefined) return {};
  if (typeof bucket !== "string" || !/^[\da-z][\d.a-z-]{1,61}[\da-z]$/.test(bucket))
    throw new Refusal(
      `${JSON.stringify(bucket)} is not the name of a bucket; -c assetsBucket=my-bucket, with a bucket in the cluster's Region, will do`,
    );
  const synthesizer = new CliCredentialsStackSynthesizer({ fileAssetsBucketName: bucket });
  return { synthesizer };
}
