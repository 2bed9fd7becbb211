import type * as lambda from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Provider } from "aws-cdk-lib/custom-resources";
import type { Construct } from "constructs";
import { explainWildcard } from "./explain-wildcard.ts";
import { functionLogs, functionRole, grantLog } from "./function-role.ts";

const anyVersion = "CDK's provider may invoke any version of this one function.";

/** Makes a provider for custom resources of a function, and returns its service token. */
export function serviceTokenOf(
  scope: Construct,
  onEventHandler: lambda.Function,
  {
    what,
    logRetention,
  }: { readonly what: string; readonly logRetention?: RetentionDays | undefined },
): string {
  const logGroup = functionLogs(scope, "ProviderLogs", logRetention);
  const role = functionRole(scope, "ProviderRole", what);
  grantLog(role, logGroup);
  explainWildcard(role, `${onEventHandler.functionArn}:*`, anyVersion);
  // The provider is outside the VPC, because it answers CloudFormation through S3, which the VPC may not reach.
  const frameworkOnEventRole = role;
  return new Provider(scope, "Provider", { onEventHandler, logGroup, frameworkOnEventRole })
    .serviceToken;
}
