import { Template } from "aws-cdk-lib/assertions";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { describe, expect, it } from "vitest";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import type { WebhookOptions } from "../../../lib/webhook/webhook.ts";
import { ownLifecycle } from "../own-stack.ts";
import { policyOf } from "../role-statements.ts";
import { resourcesOf, sample, sampleWebhook, synthesised } from "../synthesised.ts";

const { region } = sample.cluster;
const { secretArn } = sampleWebhook;
const keyArn = `arn:aws:kms:${region}:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab`;

const withWebhook = (more: Partial<ClusterConfig["webhook"]> = {}) =>
  synthesised({ webhook: { ...sampleWebhook, ...more } });

const own = (options: Omit<WebhookOptions, "secret">) =>
  ownLifecycle((stack) => ({ webhook: { secret: new Secret(stack, "Url"), ...options } }));

/** What the role of the webhook's function may do, and on what. */
const allowed = (template: Template): readonly (readonly [unknown, string])[] =>
  policyOf(template, /WebhookRole/).map(({ Action, Resource }) => [
    Action,
    JSON.stringify(Resource),
  ]);

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

  it("may read a secret that is imported by its name", () => {
    const { stack } = ownLifecycle((scope) => ({
      webhook: { secret: Secret.fromSecretNameV2(scope, "Url", "drains"), format: "slack" },
    }));
    const [[, resource] = []] = allowed(Template.fromStack(stack));
    expect(resource).toContain(":secret:drains-??????");
  });
});

describe("the template of a webhook's messages", () => {
  const complaint = (webhook: object): string => {
    const file = JSON.stringify({
      cluster: sample.cluster,
      groups: ["workers"],
      nodeRoleArns: sample.nodeRoleArns,
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
