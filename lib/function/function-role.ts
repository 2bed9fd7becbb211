import { RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { type ILogGroup, LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";

export const functionRole = (scope: Construct, id: string, description: string): Role =>
  new Role(scope, id, { assumedBy: new ServicePrincipal("lambda.amazonaws.com"), description });

export function grant(role: Role, actions: readonly string[], resource: string): void {
  role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [resource] }));
}

/** Allows a function's role to write its log. */
export const grantLog = (role: Role, { logGroupArn }: ILogGroup): void =>
  grant(role, ["logs:CreateLogStream", "logs:PutLogEvents"], logGroupArn);

/** The runtime and the processor of every bundle; ARM_64 by default. */
export const bundleRun = (architecture = lambda.Architecture.ARM_64) => ({
  runtime: lambda.Runtime.NODEJS_24_X,
  architecture,
  handler: "index.handler",
});

/** The log group of a function, which is deleted with the stack. */
export const functionLogs = (
  scope: Construct,
  id: string,
  retention: RetentionDays = RetentionDays.ONE_MONTH,
): LogGroup => new LogGroup(scope, id, { retention, removalPolicy: RemovalPolicy.DESTROY });
