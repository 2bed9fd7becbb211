import {
  type EvaluationResult,
  GetInstanceProfile$,
  type GetInstanceProfileRequest,
  SimulatePrincipalPolicy$,
  type SimulatePrincipalPolicyRequest,
  type Role as WireRole,
} from "@aws-sdk/client-iam";
import type { Aws } from "./aws.ts";
import { AwsError } from "./aws-error.ts";
import type { Role } from "./iam.ts";
import { type Operation, operation } from "./operation.ts";

/** IAM percent-encodes the trust policy in its answers. */
const trust = (service: string): string =>
  encodeURIComponent(
    JSON.stringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: `${service}.amazonaws.com` },
          Action: "sts:AssumeRole",
        },
      ],
    }),
  );

const wireRole = ({ name, path, id, arn, createdAt, service }: IamRole): WireRole => ({
  Path: path,
  RoleName: name,
  RoleId: id,
  Arn: arn,
  CreateDate: new Date(createdAt),
  AssumeRolePolicyDocument: trust(service),
});

function getInstanceProfile({ iam }: Aws, wanted: string) {
  const { name, path, id, arn, createdAt, roles } = iam.findInstanceProfile(wanted);
  return {
    InstanceProfile: {
      Path: path,
      InstanceProfileName: name,
      InstanceProfileId: id,
      Arn: arn,
      CreateDate: new Date(createdAt),
      Roles: roles.map(wireRole),
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
