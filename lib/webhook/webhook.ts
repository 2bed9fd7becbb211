import { Duration, Stack } from "aws-cdk-lib";
import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type ILogGroup, SubscriptionFilter } from "aws-cdk-lib/aws-logs";
import { LambdaDestination } from "aws-cdk-lib/aws-logs-destinations";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import {
  environment,
  newsKind,
  webhookEnvironment,
  webhookTimeoutSeconds,
} from "../../lambda/base/contract.ts";
import { explainWildcard } from "../function/explain-wildcard.ts";
import { functionCode } from "../function/function-code.ts";
import { bundleRun, functionLogs, functionRole } from "../function/function-role.ts";
import { keyUse } from "../function/key-use.ts";
import type { FunctionOptions } from "../function/queue-function.ts";
import { assertTemplate } from "./assert-template.ts";

/** The receiver of a drain's start, first block and end, and the form of its messages. */
export interface WebhookOptions {
  /** The secret that has the URL, as its text or in the field `url` of its JSON. If a key encrypts it, the secret must know that key. */
  readonly secret: ISecret;
  /** `slack` and `teams` (a webhook of Workflows) have their own form; `json` has that of the template. */
  readonly format: "json" | "slack" | "teams";
  /** The message for `json`: JSON in whose texts placeholders such as `{{title}}` stand. @default a field for each placeholder */
  readonly template?: unknown;
}

/** The journal that the webhook's function subscribes to, and how the function runs. */
export interface WebhookProps
  extends WebhookOptions,
    Pick<FunctionOptions, "architecture" | "logRetention" | "tracing"> {
  readonly clusterName: string;
  readonly journal: ILogGroup;
}

/**
 * A small function that sends news of drains to a webhook. CloudWatch Logs invokes it with lines of the journal, so that no
 * drain ever waits for it. It has no VPC, because the webhook is on the internet.
 */
export class Webhook extends Construct {
  readonly function: lambda.Function;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id);
    assertTemplate({ format: props.format, template: props.template });
    this.function = this.#function(props);
    this.#grant(props);
    new SubscriptionFilter(this, "Journal", {
      logGroup: props.journal,
      destination: new LambdaDestination(this.function),
      filterPattern: FilterPattern.literal(`{ $.kind = "${newsKind}" }`),
    });
  }

  /** The number of batches of news that Lambda has dropped. */
  metricLost(props?: MetricOptions): Metric {
    return this.function.metric("AsyncEventsDropped", { statistic: "Sum", ...props });
  }

  #function(props: WebhookProps): lambda.Function {
    const logGroup = functionLogs(this, "Logs", props.logRetention);
    const description = `Tells a webhook of drains of cluster ${props.clusterName}`;
    const role = functionRole(this, "Role", "Tells a webhook of drains");
    if (props.tracing !== undefined && props.tracing !== lambda.Tracing.DISABLED)
      explainWildcard(role, "*", "the actions of X-Ray know no resources");
    return new lambda.Function(this, "Function", {
      description,
      role,
      logGroup,
      ...bundleRun(props.architecture),
      tracing: props.tracing ?? lambda.Tracing.DISABLED,
      code: functionCode("webhook"),
      memorySize: 256,
      timeout: Duration.seconds(webhookTimeoutSeconds),
      // News that are an hour old are not sent.
      maxEventAge: Duration.hours(1),
      retryAttempts: 2,
      environment: this.#environment(props),
    });
  }

  #environment({ clusterName, secret, format, template }: WebhookProps) {
    return {
      [environment.clusterName]: clusterName,
      [webhookEnvironment.secret]: secret.secretArn,
      [webhookEnvironment.format]: format,
      ...(template !== undefined && {
        [webhookEnvironment.template]: Stack.of(this).toJsonString(template),
      }),
    };
  }

  #grant({ secret }: WebhookProps): void {
    const { logGroup } = this.function;
    const allowed = [
      // If the ARN lacks the six characters that Secrets Manager adds, IAM needs a wildcard for each.
      [["secretsmanager:GetSecretValue"], secret.secretFullArn ?? `${secret.secretArn}-??????`],
      [["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn],
    ] as const;
    for (const [actions, resource] of allowed)
      this.function.addToRolePolicy(
        new PolicyStatement({ actions: [...actions], resources: [resource] }),
      );
    if (secret.encryptionKey)
      this.function.addToRolePolicy(
        keyUse(this, secret.encryptionKey, ["kms:Decrypt"], "secretsmanager"),
      );
  }
}
