import { Effect, Policy, PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import type * as lambda from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { networkActions } from "./queue-permissions.ts";

/** A function in a VPC, and its role. */
interface Fenced {
  readonly function: lambda.Function;
  readonly role: Role;
}

/**
 * Leaves to Lambda alone what a function's role may do with network interfaces: the function's own calls are denied, and with
 * them those of whoever has taken its credentials. The function cannot depend on this policy, which names the function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function networkFence(scope: Construct, id: string, fenced: Fenced): Policy {
  const { functionArn } = fenced.function;
  const denied = new PolicyStatement({
    effect: Effect.DENY,
    actions: [...networkActions],
    resources: ["*"],
    // Whatever version of it makes the call.
    conditions: {
      ArnEquals: { "lambda:SourceFunctionArn": [functionArn, `${functionArn}:*`] },
    },
  });
  return new Policy(scope, id, { statements: [denied], roles: [fenced.role] });
}
