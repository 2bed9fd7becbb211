import { Validations } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { Tracing } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import type { WebhookOptions } from "../../../lib/watching/webhook.ts";
import { ownLifecycle } from "../own-stack.ts";
import { resourcesOf, sample, sampleWebhook, synthesised } from "../synthesised.ts";

const { region } = sample.cluster;
const { secretArn } = sampleWebhook;
const keyArn = `arn:aws:kms:${region}:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab`;

const withWebhook = (more: Partial<ClusterConfig["webhook"]> = {}) =>
  synthesised({ webhook: { ...sampleWebhook, ...more } });

const own = (options: Omit<WebhookOptions, "secret">, tracing = Tracing.DISABLED) =>
  ownLifecycle((stack) => ({
    webhook: {
      secret: new Secret(stack, "Url", { encryptionKey: new Key(stack, "Key") }),
      ...options,
    },
    function: { tracing },
  }));

interface Statement {
  readonly Action: unknown;
  readonly Resource: unknown;
}

/** What the role of the webhook's function may do, and on what. */
function allowed(template: Template): readonly (readonly [unknown, string])[] {
  const policies = Object.values(resourcesOf(template)).filter(
    ({ Type, Properties }) =>
      Type === "AWS::IAM::Policy" && /WebhookRole/.test(JSON.stringify(Properties.Roles)),
  );
  return policies.flatMap(({ Properties }) =>
    (Properties.PolicyDocument as { Statement: Statement[] }).Statement.map(
      ({ Action, Resource }) => [Action, JSON.stringify(Resource)] as const,
    ),
  );
}

describe("the function of a webhook", () => {
  it("is in a stack only where somebody wants it", () => {
    const ids = (template: Template) => Object.keys(resourcesOf(template)).join();
    expect(ids(synthesised())).not.toMatch(/Webhook|LostNews/);
    expect(ids(withWebhook())).toMatch(/Webhook.*LostNews/);
    const { alarms } = sample;
    const quiet = { webhook: sampleWebhook };
    expect(ids(synthesised({ ...quiet, alarms: { ...alarms, lostNews: "off" } }))).not.toMatch(
      /LostNews/,
    );
  });

  it("may read its secret, write its own log, and no more", () => {
    const own = (id: string) => expect.stringMatching(new RegExp(`^{"Fn::GetAtt":\\["${id}`));
    const usual = [
      ["secretsmanager:GetSecretValue", JSON.stringify(secretArn)],
      [["logs:CreateLogStream", "logs:PutLogEvents"], own("NodeLifecycleWebhookLogs")],
    ];
    expect(allowed(withWebhook())).toEqual(usual);
    const ofKey = ["kms:Decrypt", JSON.stringify(keyArn)];
    expect(allowed(withWebhook({ keyArn }))).toEqual([...usual, ofKey]);
  });

  it("hears of each drain that has news, of which only that deployment's function writes", () => {
    const news = (template: Template) =>
      JSON.stringify(resourcesOf(template)).match(/"DRAIN_NEWS":"on"/g) ?? [];
    expect(news(synthesised({ upgrades: "on", repairs: "on" }))).toEqual([]);
    const template = synthesised({ webhook: sampleWebhook, upgrades: "on", repairs: "on" });
    expect(news(template)).toHaveLength(1);
    template.hasResourceProperties("AWS::Logs::SubscriptionFilter", {
      FilterPattern: '{ $.kind = "drain-news" }',
    });
  });

  it("may read a secret that is imported by its name", () => {
    const { stack } = ownLifecycle((scope) => ({
      webhook: { secret: Secret.fromSecretNameV2(scope, "Url", "drains"), format: "slack" },
    }));
    const [[, resource] = []] = allowed(Template.fromStack(stack));
    expect(resource).toContain(":secret:drains-??????");
  });

  it("knows the ARN of the secret, is in no VPC, and is tried three times within an hour", () => {
    const template = withWebhook({ format: "json", template: { text: "{{title}}" } });
    template.hasResourceProperties("AWS::Lambda::Function", {
      VpcConfig: Match.absent(),
      Environment: {
        Variables: {
          CLUSTER_NAME: "sample",
          WEBHOOK_SECRET_ARN: secretArn,
          WEBHOOK_FORMAT: "json",
          WEBHOOK_TEMPLATE: '{"text":"{{title}}"}',
        },
      },
    });
    template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      MaximumEventAgeInSeconds: 3600,
      MaximumRetryAttempts: 2,
    });
  });

  it("is traced where the function that drains is, and shows on the dashboard what was lost", () => {
    const template = Template.fromStack(own({ format: "teams" }, Tracing.ACTIVE).stack);
    template.resourcePropertiesCountIs(
      "AWS::Lambda::Function",
      { TracingConfig: { Mode: "Active" } },
      2,
    );
    expect(JSON.stringify(template.toJSON())).toContain('\\"AsyncEventsDropped\\"');
  });
});

it("leaves cdk-nag nothing unexplained, even with traces", () => {
  const { app } = ownLifecycle((stack) => ({
    webhook: { secret: Secret.fromSecretCompleteArn(stack, "Url", secretArn), format: "slack" },
    function: { tracing: Tracing.ACTIVE },
  }));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});

describe("the template of a webhook's messages", () => {
  const complaint = (webhook: object): string => {
    const file = JSON.stringify({
      cluster: sample.cluster,
      groups: ["workers"],
      webhook: { secretArn, format: "json", ...webhook },
    });
    try {
      readClusterConfig(file, "clusters/x.json");
      return "";
    } catch (error) {
      return String(error);
    }
  };

  it("is refused in a cluster's file with the place of a placeholder that nobody can fill in", () => {
    const fields = [{ title: "{{title}}" }, { value: "{{ node }} {{nod}}" }];
    expect(complaint({ template: { fields: fields.slice(0, 1) } })).toBe("");
    expect(complaint({ template: { fields } })).toContain(
      'webhook.template.fields.1.value: expected a placeholder among {{advice}}, {{cluster}}, {{group}}, {{instance}}, {{kind}}, {{node}}, {{text}}, {{time}}, {{title}}, {{tone}}, got "{{nod}}"',
    );
  });

  it("is refused in a construct, too", () => {
    expect(() => own({ format: "json", template: ["{{nod}}"] })).toThrow(
      "webhook.template.0: expected a placeholder",
    );
  });

  it("is refused where it is too long, or where the format has a form of its own", () => {
    for (const template of ["x".repeat(2000), "é".repeat(1000)])
      expect(complaint({ template })).toContain("at most 2000 bytes of JSON");
    expect(complaint({ template: "x", format: "slack" })).toContain(
      'webhook.template: expected none, unless the format is "json", got "x"',
    );
  });

  it.each([
    [
      { secretArn: secretArn.slice(0, -7) },
      "webhook.secretArn: expected the whole ARN of a secret",
    ],
    [{ secretArn: secretArn.replace(region, "us-west-2") }, `webhook.secretArn: expected one in`],
    [{ keyArn: keyArn.replace(region, "us-west-2") }, "webhook.keyArn: expected one in"],
    [{ format: "irc" }, 'webhook.format: expected "slack" or "teams" or "json"'],
  ])("has a place with a secret that the function can read: %j", (change, expected) => {
    expect(complaint(change)).toContain(expected);
  });
});
