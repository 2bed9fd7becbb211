import {
  GetSecretValue$,
  type GetSecretValueRequest,
  type GetSecretValueResponse,
} from "@aws-sdk/client-secrets-manager";
import { type Operation, operation } from "../operation.ts";
import type { Secrets } from "./secrets.ts";

/** The operation of Secrets Manager that the sandbox supports. */
export const secretsOperations = (secrets: Secrets): readonly Operation[] => [
  operation<GetSecretValueRequest, GetSecretValueResponse>(GetSecretValue$, {
    permissions: ({ SecretId: resource = "" }) => [
      { action: "secretsmanager:GetSecretValue", resource },
    ],
    run: ({ SecretId: arn = "" }) => ({ ARN: arn, SecretString: secrets.find(arn) }),
  }),
];
