import {
  GetInstanceProfile$,
  type GetInstanceProfileRequest,
  type GetInstanceProfileResponse,
  type Role as WireRole,
} from "@aws-sdk/client-iam";
import { type Operation, operation } from "../operation.ts";
import type { Iam, Role } from "./iam.ts";

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

const wireRole = ({ name, path, id, arn, createdAt, service }: Role): WireRole => ({
  Path: path,
  RoleName: name,
  RoleId: id,
  Arn: arn,
  CreateDate: new Date(createdAt),
  AssumeRolePolicyDocument: trust(service),
});

function getInstanceProfile(iam: Iam, wanted: string): GetInstanceProfileResponse {
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
export const iamOperations = (iam: Iam): readonly Operation[] => [
  operation<GetInstanceProfileRequest, GetInstanceProfileResponse>(GetInstanceProfile$, {
    permissions: ({ InstanceProfileName = "" }) => [
      { action: "iam:GetInstanceProfile", resource: iam.instanceProfileArn(InstanceProfileName) },
    ],
    run: ({ InstanceProfileName = "" }) => getInstanceProfile(iam, InstanceProfileName),
  }),
];
