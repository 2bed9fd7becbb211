import { Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { newsVariable } from "../../lambda/base/contract.ts";
import { Webhook, type WebhookOptions, type WebhookProps } from "./webhook.ts";
import type { WebhookFields } from "./webhook-schema.ts";

/** The option of a deployment. */
export interface WebhookOption {
  /** Sends a drain's start, first block and end to Slack, Teams or elsewhere. @default no messages */
  readonly webhook?: WebhookOptions;
}

/** The option by the file of a cluster. */
export function propsIn(scope: Construct, { webhook }: WebhookFields): WebhookOption {
  if (webhook === undefined) return {};
  const { secretArn: secretCompleteArn, keyArn, format, template } = webhook;
  const key = keyArn && { encryptionKey: Key.fromKeyArn(scope, "WebhookKey", keyArn) };
  const attributes = { secretCompleteArn, ...key };
  const secret = Secret.fromSecretAttributes(scope, "WebhookUrl", attributes);
  return { webhook: { secret, format, template } };
}

/** The part of the node function's environment that has it write news. */
export const environmentIn = ({ webhook }: WebhookOption): Readonly<Record<string, string>> =>
  webhook === undefined ? {} : { [newsVariable]: "on" };

export const deploy = (
  scope: Construct,
  { webhook }: WebhookOption,
  place: Omit<WebhookProps, keyof WebhookOptions>,
): readonly Webhook[] =>
  webhook === undefined ? [] : [new Webhook(scope, "Webhook", { ...place, ...webhook })];
