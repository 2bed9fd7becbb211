import {
  type EvaluationResult,
  GetInstanceProfile$,
  type GetInstanceProfileRequest,
  SimulatePrincipalPolicy$,
  type SimulatePrincipalPolicyRequest,
} from "@aws-sdk/client-iam";
import type { Aws } from "./aws.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";

function getInstanceProfile({ iam }: Aws, wanted: string) {
  const { name, path, arn, roles } = iam.findInstanceProfile(wanted);
  return {
    InstanceProfile: {
      Path: path,
      InstanceProfileName: name,
      Arn: arn,
      Roles: roles.map((role) => ({ Path: role.path, RoleName: role.name, Arn: role.arn })),
    },
  };
}

/** The operations of IAM that the sandbox supports. */
export const iamOperations = (aws: Aws): readonly Operation[] => [
  operation<GetInstanceProfileRequest>(
    "iam",
    GetInstanceProfile$,
    ({ InstanceProfileName = "" }) => getInstanceProfile(aws, InstanceProfileName),
    ({ InstanceProfileName = "" }) => aws.iam.instanceProfileArn(InstanceProfileName),
  ),
  operation<SimulatePrincipalPolicyRequest>(
    "iam",
    SimulatePrincipalPolicy$,
    (request) => ({ IsTruncated: false, EvaluationResults: results(aws, request) }),
    ({ PolicySourceArn = "" }) => PolicySourceArn,
  ),
];

/** Simulates what the policies of a role allow, as IAM does. @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html */
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
