import { describe, expect, it } from "vitest";
import { account, everything, idOf, idsOf, names, policies } from "../judged-template.ts";

const rules = idsOf("AWS::Events::Rule", /./);
const queues = [
  ["inbox", idOf("AWS::SQS::Queue", /InboxQueue/)],
  ["dead letters", idOf("AWS::SQS::Queue", /InboxDeadLetters/)],
] as const;
const topic = names.arn(idOf("AWS::SNS::Topic", /./));
const key = names.arn(idOf("AWS::KMS::Key", /./));
const hooks = idOf("AWS::IAM::Role", /HooksRole/);

const bridge = "events.amazonaws.com";
const tls = { "aws:SecureTransport": "true" };
const asService = { ...tls, "aws:PrincipalIsAWSService": "true" };

/** What the policy of a queue says when a service sends for one of its resources. */
const sending = (queue: string, by: string, context: Readonly<Record<string, string>>) =>
  policies.ofResource(names.text({ Ref: queue }), {
    by,
    action: "sqs:SendMessage",
    resource: names.arn(queue),
    context,
  });

const from = (arn: string) => ({ ...asService, "aws:SourceArn": arn });

describe.each(queues)("the queue (%s)", (_, queue) => {
  it.each(rules)("takes the events of the rule %s", (rule) => {
    expect(sending(queue, bridge, from(names.arn(rule)))).toBe("allowed");
  });

  it.each([
    ["another rule of this account", from(`arn:aws:events:${account.region}:${account.id}:rule/x`)],
    [
      "a rule of the same name in another account",
      from(names.arn(rules[0] ?? "").replace(account.id, "210987654321")),
    ],
    ["a rule that EventBridge does not name", asService],
    ["a topic by the name of EventBridge", from(topic)],
  ])("takes no event of %s", (__, context) => {
    expect(sending(queue, bridge, context)).toBe("unsaid");
  });

  it.each(["s3.amazonaws.com", "sns.amazonaws.com", "scheduler.amazonaws.com"])(
    "takes nothing of %s for a rule",
    (service) => {
      expect(sending(queue, service, from(names.arn(rules[0] ?? "")))).toBe("unsaid");
    },
  );

  it("takes what the topic has, and of no other topic", () => {
    expect(sending(queue, "sns.amazonaws.com", from(topic))).toBe("allowed");
    expect(sending(queue, "sns.amazonaws.com", from(`${topic}-of-others`))).toBe("unsaid");
  });

  it("takes nothing without TLS", () => {
    const plain = { ...from(names.arn(rules[0] ?? "")), "aws:SecureTransport": "false" };
    expect(sending(queue, bridge, plain)).toBe("denied");
  });
});

/** What the topic's policy says to a publisher. */
const publishing = (by: string, context: Readonly<Record<string, string>>) =>
  policies.ofResource(topic, { by, action: "sns:Publish", resource: topic, context });

describe("the topic", () => {
  const role = names.arn(hooks);
  const asHooks = { ...tls, "aws:PrincipalArn": role, "aws:PrincipalIsAWSService": "false" };

  it("is open to the role of the hooks, which its own policy lets publish", () => {
    expect(publishing(role, asHooks)).not.toBe("denied");
    const attempt = { by: role, action: "sns:Publish", resource: topic, context: asHooks };
    expect(policies.permits(hooks, attempt)).toBe(true);
  });

  it.each([
    ["EventBridge", bridge, asService],
    ["EventBridge for a rule of the stack", bridge, from(names.arn(rules[0] ?? ""))],
    ["S3", "s3.amazonaws.com", asService],
    ["CloudWatch", "cloudwatch.amazonaws.com", asService],
    [
      "an administrator",
      `arn:aws:iam::${account.id}:role/admin`,
      { ...asHooks, "aws:PrincipalArn": `arn:aws:iam::${account.id}:role/admin` },
    ],
    [
      "the role of another cluster's hooks, which may use the same key",
      `${role}-of-another-cluster`,
      { ...asHooks, "aws:PrincipalArn": `${role}-of-another-cluster` },
    ],
    [
      "a role of the same name in another account",
      role.replace(account.id, "210987654321"),
      { ...asHooks, "aws:PrincipalArn": role.replace(account.id, "210987654321") },
    ],
  ])("refuses %s", (_, by, context) => {
    expect(publishing(by, context)).toBe("denied");
  });

  it("refuses the role of the hooks without TLS", () => {
    expect(publishing(role, { ...asHooks, "aws:SecureTransport": "false" })).toBe("denied");
  });
});

/** What another cluster of the account and Region has, whose topic may have the same key. */
const others = {
  sns: `${everything.names.arn(everything.idOf("AWS::SNS::Topic", /./))}-of-another-cluster`,
  sqs: `${everything.names.arn(everything.idOf("AWS::SQS::Queue", /InboxQueue/))}-of-another-cluster`,
};

describe("whoever has a role of one cluster", () => {
  it.each(everything.idsOf("AWS::IAM::Role", /./))(
    "may do nothing with the topic or the queue of another, whose key is the same: %s",
    (id) => {
      const context = { ...tls, "aws:RequestedRegion": account.region };
      const by = everything.names.arn(id);
      const all = [
        "Publish",
        "Subscribe",
        "GetTopicAttributes",
        "SetTopicAttributes",
        "AddPermission",
        "SendMessage",
        "ReceiveMessage",
        "DeleteMessage",
        "ChangeMessageVisibility",
        "PurgeQueue",
        "GetQueueAttributes",
        "SetQueueAttributes",
        "StartMessageMoveTask",
      ];
      const allowed = Object.entries(others).flatMap(([service, resource]) =>
        all.filter((action) =>
          everything.policies.permits(id, {
            by,
            action: `${service}:${action}`,
            resource,
            context,
          }),
        ),
      );
      expect(allowed).toEqual([]);
    },
  );
});

describe("the topic's key", () => {
  it.each(["kms:Decrypt", "kms:GenerateDataKey"])("is not EventBridge's to use: %s", (action) => {
    const attempt = { by: bridge, action, resource: key, context: asService };
    expect(policies.ofResource(key, attempt)).toBe("unsaid");
  });
});
