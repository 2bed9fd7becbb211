import { Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/**
 * Allows actions with a key to a service that calls KMS in a role's name, and not to the role itself. The names of services end
 * otherwise in China.
 *
 * @see https://docs.aws.amazon.com/kms/latest/developerguide/conditions-kms.html#conditions-kms-via-service
 */
export const keyUse = (
  scope: Construct,
  { keyArn }: IKey,
  actions: string[],
  service: "secretsmanager" | "sns",
): PolicyStatement =>
  new PolicyStatement({
    actions,
    resources: [keyArn],
    conditions: { StringLike: { "kms:ViaService": `${service}.${Stack.of(scope).region}.*` } },
  });
