import { describe, expect, it } from "vitest";
import { networkActions } from "../../../lib/function/queue-permissions.ts";
import { everything } from "../judged-template.ts";

const { idOf, names, policies } = everything;

describe.each([
  ["function", /NodeRole/, /NodeFunction/],
  ["deployer", /DeployerRole/, /AccessDeployer[0-9A-F]{8}$/],
  ["upgrade function", /UpgradeRole/, /UpgradeFunction/],
  ["repair function", /RepairRole/, /RepairFunction/],
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

  it.each(networkActions)(
    "are not those of another function's code with that role: %s",
    (action) => {
      for (const name of ["other", "other:7"]) {
        const arn = `arn:aws:lambda:eu-west-1:123456789012:function:${name}`;
        const context = { "lambda:SourceFunctionArn": arn };
        expect(policies.permits(role, attempt(action, context))).toBe(false);
      }
    },
  );
});
