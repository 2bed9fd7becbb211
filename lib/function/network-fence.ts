import { ArnFormat, Stack } from "aws-cdk-lib";
import { Effect, Policy, PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { networkActions } from "./queue-permissions.ts";

/**
 * Leaves to Lambda alone what a function's role may do with network interfaces: the calls of code are denied, of this
 * function, of any other to which somebody has passed the role, and of anyone who has taken the credentials of one.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function networkFence(scope: Construct, id: string, role: Role): Policy {
  const anyFunction = { service: "lambda", region: "*", resource: "function", resourceName: "*" };
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  const functions = Stack.of(scope).formatArn({ ...anyFunction, arnFormat });
  const denied = new PolicyStatement({
    effect: Effect.DENY,
    actions: [...networkActions],
    resources: ["*"],
    // Lambda says of which function, and of which version, a call is; its own calls are of none.
    conditions: { ArnLike: { "lambda:SourceFunctionArn": functions } },
  });
  return new Policy(scope, id, { statements: [denied], roles: [role] });
}
