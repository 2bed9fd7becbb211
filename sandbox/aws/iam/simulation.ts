import {
  type EvaluationResult,
  type SimulatePolicyResponse,
  SimulatePrincipalPolicy$,
  type SimulatePrincipalPolicyRequest,
} from "@aws-sdk/client-iam";
import type { Aws } from "../aws.ts";
import { AwsError } from "../aws-error.ts";
import { type Operation, operation } from "../operation.ts";

/** Simulates what the policies of a role allow, as IAM does. @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html */
export const simulationOperations = (aws: Aws): readonly Operation[] => [
  operation<SimulatePrincipalPolicyRequest, SimulatePolicyResponse>(SimulatePrincipalPolicy$, {
    permissions: ({ PolicySourceArn: resource = "" }) => [
      { action: "iam:SimulatePrincipalPolicy", resource },
    ],
    run: (request) => ({ IsTruncated: false, EvaluationResults: results(aws, request) }),
  }),
];

function results(aws: Aws, request: SimulatePrincipalPolicyRequest): EvaluationResult[] {
  const { PolicySourceArn: arn = "", ActionNames = [], ContextEntries = [] } = request;
  const { ResourceArns = ["*"] } = request;
  const role = aws.iam.tryFindRole(arn);
  if (role === undefined)
    throw new AwsError("NoSuchEntity", `Role ${arn} cannot be found.`, { status: 404 });
  const { partition, id } = aws.account;
  const principal = `arn:${partition}:sts::${id}:assumed-role/${role.name}/simulation`;
  const context = Object.fromEntries(
    ContextEntries.map(({ ContextKeyName = "", ContextKeyValues: [value = ""] = [] }) => [
      ContextKeyName,
      value,
    ]),
  );
  return ActionNames.flatMap((action) =>
    ResourceArns.map((resource) => {
      const verdict = aws.authorize({ principal, action, resource, context });
      const EvalDecision = verdict === "allowed" ? ("allowed" as const) : ("implicitDeny" as const);
      return { EvalActionName: action, EvalResourceName: resource, EvalDecision };
    }),
  );
}
