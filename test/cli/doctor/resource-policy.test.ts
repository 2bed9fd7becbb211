import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byService, policySays } from "../../../cli/doctor/resource-policy.ts";
import { judged, statementOf } from "../../../sandbox/stack/stack-policies.ts";
import { policySchema } from "../../../sandbox/stack/template-schema.ts";

const account = "123456789012";
const topic = `arn:aws:sns:eu-west-1:${account}:Notices`;
const queue = `arn:aws:sqs:eu-west-1:${account}:Inbox`;
const role = `arn:aws:iam::${account}:role/hooks`;
const sending = { ...byService("sns", topic), action: "sqs:SendMessage", resource: queue };
const publishing = {
  by: role,
  action: "sns:Publish",
  resource: topic,
  context: { "aws:PrincipalArn": role },
};
const some = (...texts: readonly string[]) =>
  fc.oneof(fc.constantFrom(...texts), fc.subarray([...texts]));
const key = fc.constantFrom("aws:SourceArn", "AWS:SourceAccount", "aws:PrincipalArn", "aws:none");
const kind = fc.constantFrom("StringEquals", "StringNotEquals", "StringLike", "StringNotLike");
const arnKind = fc.constantFrom("ArnEquals", "ArnNotEquals", "ArnLike", "ArnNotLike", "Bool");
const operator = fc.oneof(
  kind,
  arnKind,
  fc.tuple(fc.oneof(kind, arnKind)).map(([name]) => `${name}IfExists`),
  fc.constantFrom("ForAllValues:StringEquals", "ForAllValues:StringLike"),
);
const values = some(topic, account, role, "true", "arn:aws:sns:eu-west-?:*:Notices", "*", "*x");
const condition = fc.oneof(
  fc.dictionary(operator, fc.dictionary(key, values, { maxKeys: 2 }), { maxKeys: 2 }),
  fc.record({ Null: fc.dictionary(key, some("true", "false"), { maxKeys: 1 }) }),
);
const statement = fc.record({
  Effect: fc.constantFrom("Allow", "Deny"),
  Principal: fc.oneof(
    fc.constant("*"),
    fc.record({ Service: some("sns.amazonaws.com", "events.amazonaws.com") }),
    fc.record({ AWS: some("*", role) }),
  ),
  Action: some("sqs:SendMessage", "SQS:sendmessage", "sns:*", "*", "sqs:Get?"),
  Resource: some(queue, topic, "*", "arn:aws:s?s:*", "arn:aws:sqs.*"),
  Condition: condition,
});

describe("the policy of a topic or a queue", () => {
  const allow = { Effect: "Allow", Action: "sqs:SendMessage", Resource: queue, Principal: "*" };
  const says = (Statement: unknown) => policySays(JSON.stringify({ Statement }), sending);

  it("is judged as another evaluator judges it", () => {
    const same = fc.property(
      fc.oneof(statement, fc.array(statement, { maxLength: 3 })),
      fc.constantFrom(sending, publishing),
      (Statement, one) => {
        const { Statement: raw } = policySchema.parse({ Statement });
        const others = raw.map((its) => statementOf(its, { text: String }));
        expect(policySays(JSON.stringify({ Statement }), one)).toBe(judged(others, one));
      },
    );
    fc.assert(same, { numRuns: 500 });
  });

  it.each([
    ["ArnEquals", { "aws:SourceArn": "arn:aws:sns:eu-west-?:*:Notices" }],
    ["ArnLike", { "AWS:SourceArn": "arn:aws:sns:*:Notices" }],
    ["StringEqualsIfExists", { "aws:none": "1" }],
    ["StringNotLike", { "aws:SourceArn": "*:Others" }],
  ])("lets the topic send by %s", (operator, keys) => {
    expect(says({ ...allow, Condition: { [operator]: keys } })).toBe("allowed");
  });

  it("denies where one of its statements denies, also by naming the whole account", () => {
    const tls = { Bool: { "aws:SecureTransport": "false" } };
    const Principal = { AWS: `arn:aws:iam::${account}:root` };
    const Deny = { ...allow, Effect: "Deny", Action: "sns:Publish", Resource: "*", Principal };

    expect(says([allow, { ...allow, Effect: "Deny", Condition: tls }])).toBe("allowed");
    expect(says([allow, { ...allow, Effect: "Deny" }])).toBe("denied");
    expect(policySays(JSON.stringify({ Statement: [Deny] }), publishing)).toBe("denied");
  });

  it.each([
    ["leaves somebody out", { ...allow, Principal: undefined, NotPrincipal: { AWS: role } }],
    ["has an unknown condition", { ...allow, Condition: { IpAddress: { "aws:SourceIp": "::" } } }],
  ])("is not judged where a statement %s", (_, one) => {
    expect(() => says([{ ...allow, Effect: "Deny" }, one])).toThrow("has to be read by people");
  });
});
