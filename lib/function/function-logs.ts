import { RemovalPolicy } from "aws-cdk-lib";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

/** The log group of a function, which goes with the stack. */
export const functionLogs = (
  scope: Construct,
  id: string,
  retention: RetentionDays = RetentionDays.ONE_MONTH,
): LogGroup => new LogGroup(scope, id, { retention, removalPolicy: RemovalPolicy.DESTROY });
