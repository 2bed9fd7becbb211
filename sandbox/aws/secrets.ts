import {
  GetSecretValue$,
  type GetSecretValueRequest,
  type GetSecretValueResponse,
} from "@aws-sdk/client-secrets-manager";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";

/** The secrets of an account, by their ARNs. */
export class Secrets {
  readonly #texts = new Map<string, string>();

  /** Keeps a secret; its text takes the place of an earlier one. */
  put(arn: string, text: string): void {
    this.#texts.set(arn, text);
  }

  delete(arn: string): void {
    this.#texts.delete(arn);
  }

  find(arn: string): string {
    const text = this.#texts.get(arn);
    if (text !== undefined) return text;
    const message = "Secrets Manager can't find the specified secret.";
    throw new AwsError("ResourceNotFoundException", message);
  }
}

/** The operation of Secrets Manager that the sandbox supports. */
export const secretsOperations = (secrets: Secrets): readonly Operation[] => [
  operation<GetSecretValueRequest, GetSecretValueResponse>(GetSecretValue$, {
    permissions: ({ SecretId: resource = "" }) => [
      { action: "secretsmanager:GetSecretValue", resource },
    ],
    run: ({ SecretId: arn = "" }) => ({ ARN: arn, SecretString: secrets.find(arn) }),
  }),
];
