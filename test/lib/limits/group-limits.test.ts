import { App, Fn, type Stack, Validations } from "aws-cdk-lib";
import { AutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { ownStack } from "../own-stack.ts";
import { resolved } from "../resolved.ts";
import { type Resource, sample, synthesised } from "../synthesised.ts";

const named = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `g${index}-`.padEnd(length, "x"));

const notHeld = { ...sample.hooks, launching: "not held" as const };

/** The stack of a cluster with such groups, as it is synthesised: its policies are split, and judged. */
function stackOf(groups: string[], minimize: boolean) {
  const app = new App({ context: { "@aws-cdk/aws-iam:minimizePolicies": minimize } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stack = new NodeLifecycleStack(app, "Many", { ...sample, groups });
  const { template } = app.synth().getStackArtifact(stack.artifactId);
  return Object.values((template as { Resources: Record<string, Resource> }).Resources);
}

/** The length of a policy in the account, where every reference has become an ARN. */
function lengthOf({ Properties }: Resource): number {
  const { Statement } = Properties.PolicyDocument as { Statement: { Resource: unknown }[] };
  const statements = Statement.map((statement) => ({
    ...statement,
    Resource: [statement.Resource].flat().map(resolved),
  }));
  return JSON.stringify({ Version: "2012-10-17", Statement: statements }).length;
}

describe("a cluster's groups", () => {
  it("must fit into the function's environment", () => {
    const message = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return String(error);
      }
      return "accepted";
    };
    const refused = message(() => synthesised({ groups: named(150, 40) }));
    expect(refused).toMatch(
      /^Refusal: 150 groups of such names need \d{4} bytes of environment, and a function has 4096; \d\d will do$/,
    );
    const most = Number(/(\d+) will do/.exec(refused)?.[1]);
    expect(most).toBeGreaterThan(70);
    expect(message(() => synthesised({ groups: named(most, 40) }))).toBe("accepted");
    expect(message(() => synthesised({ groups: named(most + 1, 40) }))).toContain(
      `; ${most} will do`,
    );
  });

  it("may have names that are not known yet, and each counts with the longest possible", () => {
    const props = (count: number) => (stack: Stack) => ({
      groups: Array.from({ length: count }, (_, index) => {
        const name = Fn.importValue(`group-${index}`);
        return AutoScalingGroup.fromAutoScalingGroupName(stack, `Group${index}`, name);
      }),
    });
    expect(() => ownStack(props(100))).toThrow(/^100 groups of such names need/);
    expect(() => ownStack(props(20))).not.toThrow();
  });

  it("must not have more hooks than fit into a stack", () => {
    expect(() => synthesised({ groups: named(221, 5) })).toThrow(
      "221 groups have more hooks than a stack of 500 resources has room for; 220 will do",
    );
    expect(() => synthesised({ groups: named(221, 5), hooks: notHeld })).not.toThrow();
  });

  it.each([
    [true, 220, 5],
    [false, 220, 5],
    [true, 90, 30],
    [false, 90, 30],
  ])(
    "may be as many as that: the role has policies that IAM takes (%j, %i)",
    (minimize, count, length) => {
      const resources = stackOf(named(count, length), minimize);
      expect(resources.length).toBeLessThanOrEqual(500);
      const policies = resources.filter(({ Type }) => Type === "AWS::IAM::ManagedPolicy");
      expect(policies.length).toBeGreaterThan(0);
      expect(policies.length).toBeLessThanOrEqual(10);
      for (const policy of policies) expect(lengthOf(policy)).toBeLessThanOrEqual(6144);
      const inline = resources.filter(({ Type }) => Type === "AWS::IAM::Policy");
      for (const policy of inline) expect(lengthOf(policy)).toBeLessThanOrEqual(10_240);
    },
  );
});
