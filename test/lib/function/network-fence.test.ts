import { describe, expect, it } from "vitest";
import { networkActions } from "../../../lib/function/queue-permissions.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { StackNames } from "../../../sandbox/stack/stack-names.ts";
import { StackPolicies } from "../../../sandbox/stack/stack-policies.ts";
import { StackResources } from "../../../sandbox/stack/stack-resources.ts";
import { templateSchema } from "../../../sandbox/stack/template-schema.ts";
import { synthesised } from "../synthesised.ts";

const template = templateSchema.parse(synthesised().toJSON());
const { account } = terminateAction;
const place = {
  account,
  queueUrl: (name: string) => `https://sqs.eu-west-1.amazonaws.com/123456789012/${name}`,
};
const names = new StackNames(template, place);
const policies = new StackPolicies(new StackResources(template), names);

const idOf = (type: string, name: RegExp): string => {
  const found = Object.entries(template.Resources).filter(
    ([id, { Type }]) => Type === type && name.test(id),
  );
  expect(found).toHaveLength(1);
  return found[0]?.[0] ?? "";
};

describe.each([
  ["function", /NodeRole/, /NodeFunction/],
  ["deployer", /DeployerRole/, /AccessDeployer[0-9A-F]{8}$/],
])("the network interfaces of the %s", (_, ofRole, ofFunction) => {
  const role = idOf("AWS::IAM::Role", ofRole);
  const attempt = (action: string, context: Readonly<Record<string, string>>) => ({
    by: `arn:aws:sts::123456789012:assumed-role/${role}/session`,
    action,
    resource: "arn:aws:ec2:eu-west-1:123456789012:network-interface/eni-0123456789abcdef0",
    context,
  });

  it.each(networkActions)("are Lambda's to handle: %s", (action) => {
    expect(policies.permits(role, attempt(action, {}))).toBe(true);
  });

  it.each(networkActions)("are not its own to handle, nor a thief's: %s", (action) => {
    const arn = names.arn(idOf("AWS::Lambda::Function", ofFunction));
    const context = { "lambda:SourceFunctionArn": arn };
    expect(policies.permits(role, attempt(action, context))).toBe(false);
  });
});
