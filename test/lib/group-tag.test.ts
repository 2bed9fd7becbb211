import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../lambda/config/config.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { deployable, logicalId } from "./deployable.ts";
import { deployedAlone } from "./deployed-alone.ts";
import { resolved } from "./resolved.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const groupTag = { key: "example.com/cluster", value: "demo" };

describe("a tag by which groups are chosen", () => {
  const template = synthesised({ groupTag });

  it("is what the function reads, besides the names of groups", () => {
    const variables = Object.values(resourcesOf(template)).flatMap(({ Properties }) => {
      const { Variables = {} } = (Properties.Environment ?? {}) as { Variables?: object };
      return "MANAGED_GROUPS" in Variables ? [Object.entries(Variables)] : [];
    });
    const text = (variables[0] ?? []).map(([key, value]) => [key, resolved(value)]);
    const config = parseConfig({ AWS_REGION: "eu-west-1", ...Object.fromEntries(text) });
    expect(config.drain.managed).toEqual(["workers", groupTag]);
    expect(config.launch.managed).toEqual(["workers", groupTag]);
  });

  it("gives no group hooks, but the outputs have the commands that do", () => {
    const { Resources, Outputs } = synthesised({ groupTag, groups: [] }).toJSON();
    expect(JSON.stringify(Resources)).not.toContain("AWS::AutoScaling::LifecycleHook");
    const commands = Object.values(Outputs as Record<string, { Value: unknown }>)
      .map(({ Value }) => resolved(Value))
      .filter((text) => text.startsWith("aws "));
    const flags = (hook: string, transition: string) =>
      `aws autoscaling put-lifecycle-hook --auto-scaling-group-name GROUP --lifecycle-hook-name ${hook} --lifecycle-transition autoscaling:EC2_INSTANCE_${transition} --heartbeat-timeout 1800 --default-result CONTINUE --notification-target-arn https://example.com/`;
    expect(commands).toEqual([
      expect.stringContaining(flags("Terminate-LC-Hook", "TERMINATING")),
      expect.stringContaining(flags("Launch-LC-Hook", "LAUNCHING")),
    ]);
    expect(commands.join()).toMatch(/--role-arn \w+HooksRole\w+\.Arn/);
  });

  it("is missing from the template where groups are named", () => {
    const usual = JSON.stringify(Template.fromJSON(synthesised().toJSON()).toJSON());
    expect(usual).not.toContain("ResourceTag");
    expect(usual).not.toContain("put-lifecycle-hook");
  });
});

describe("the function's role, deployed in the sandbox", () => {
  const acting = async (group: string, tags: Readonly<Record<string, string>>) => {
    const app = new App();
    const cluster = { ...sample.cluster, authenticationMode: "CONFIG_MAP" } as const;
    const config = { ...sample, cluster, groups: [], groupTag };
    const stack = new NodeLifecycleStack(app, "Sample", config);
    const { aws } = await deployedAlone(deployable(app, stack));
    const principal = `arn:aws:sts::123456789012:assumed-role/${logicalId(stack.lifecycle.nodeFunction.role)}/it`;
    const resource = `arn:aws:autoscaling:eu-west-1:123456789012:autoScalingGroup:id:autoScalingGroupName/${group}`;
    const context = Object.fromEntries(
      Object.entries(tags).map(([key, value]) => [`autoscaling:ResourceTag/${key}`, value]),
    );
    return ["RecordLifecycleActionHeartbeat", "CompleteLifecycleAction"].map((action) =>
      aws.authorize({ principal, action: `autoscaling:${action}`, resource, context }),
    );
  };

  it("may complete the hooks of any group that has the tag, and of no other", async () => {
    const { key, value } = groupTag;
    expect(await acting("new", { [key]: value, team: "a" })).toEqual(["allowed", "allowed"]);
    expect(await acting("new", { [key]: "other" })).toEqual(["denied", "denied"]);
    expect(await acting("workers", {})).toEqual(["denied", "denied"]);
  });
});
