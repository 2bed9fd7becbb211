import { statSync } from "node:fs";
import { App, Fn, type Stack, Validations } from "aws-cdk-lib";
import { AutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { everythingOn } from "../everything-on.ts";
import { ownStack } from "../own-stack.ts";
import { resolved } from "../resolved.ts";
import { type Resource, sample, synthesised } from "../synthesised.ts";

const named = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `g${index}-`.padEnd(length, "x"));

const notHeld = { ...sample.hooks, launching: "not held" as const };

/** The stack of a cluster with such groups, as it is synthesised: its policies are split, and judged. */
function stackOf(change: Partial<ClusterConfig>, minimize: boolean) {
  const app = new App({ context: { "@aws-cdk/aws-iam:minimizePolicies": minimize } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stack = new NodeLifecycleStack(app, "Many", { ...sample, ...change });
  const { template, templateFullPath } = app.synth().getStackArtifact(stack.artifactId);
  const { Resources } = template as { Resources: Record<string, Resource> };
  return { resources: Object.values(Resources), bytes: statSync(templateFullPath).size };
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

const has = (roles: unknown, role: string): boolean => JSON.stringify(roles).includes(role);

/** What is refused; "accepted" if nothing is. */
function told(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String(error);
  }
  return "accepted";
}

describe("a cluster's groups", () => {
  it("must fit into the function's environment", () => {
    const refused = told(() => synthesised({ groups: named(150, 40) }));
    expect(refused).toMatch(
      /^Refusal: 150 groups of such names need \d{4} bytes of environment, and a function has 4096; \d\d will do$/,
    );
    const most = Number(/(\d+) will do/.exec(refused)?.[1]);
    expect(most).toBeGreaterThan(70);
    expect(told(() => synthesised({ groups: named(most, 40) }))).toBe("accepted");
    expect(told(() => synthesised({ groups: named(most + 1, 40) }))).toContain(`; ${most} will do`);
  });

  it("must fit beside the tag of others, which counts as none of them", () => {
    const groupTag = { key: "k".repeat(120), value: '"'.repeat(250) };
    const refused = (count: number) => () => synthesised({ groups: named(count, 40), groupTag });
    const [, most = ""] = /: (?:\d+) groups .*; (\d+) will do$/.exec(told(refused(150))) ?? [];
    expect(told(refused(Number(most)))).toBe("accepted");
    expect(told(refused(Number(most) + 1))).toMatch(
      new RegExp(`^Refusal: ${Number(most) + 1} groups .*; ${most} will do$`),
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

  it.each([sample.hooks, notHeld])("must not be more than 210, with the hooks %j", (hooks) => {
    expect(() => synthesised({ groups: named(211, 5), hooks })).toThrow(
      "211 groups are more than a stack of 500 resources and a role of ten policies have room for; 210 will do",
    );
  });

  const everything: Partial<ClusterConfig> = {
    privateEndpoints: ["autoscaling", "ec2", "eks", "sqs", "xray"],
    dnsServers: ["10.0.0.2"],
  };

  it.each([
    [true, "shortest", { groups: named(210, 5) }],
    [false, "shortest", { groups: named(210, 5) }],
    [true, "longer", { groups: named(90, 30) }],
    [false, "longer", { groups: named(90, 30) }],
    [false, "not held", { groups: named(210, 5), hooks: notHeld }],
  ])(
    "may be as many as that: CloudFormation takes the template, and IAM the role's policies (%j, %s)",
    (minimize, _, change) => {
      const { resources, bytes } = stackOf({ ...everything, ...change }, minimize);
      expect(resources.length).toBeLessThanOrEqual(500);
      expect(bytes).toBeLessThanOrEqual(1_000_000);
      const policies = resources.filter(({ Type }) => Type === "AWS::IAM::ManagedPolicy");
      expect(policies.length).toBeGreaterThan(0);
      expect(policies.length).toBeLessThanOrEqual(10);
      for (const policy of policies) expect(lengthOf(policy)).toBeLessThanOrEqual(6144);
      const inline = resources.filter(({ Type }) => Type === "AWS::IAM::Policy");
      for (const policy of inline) expect(lengthOf(policy)).toBeLessThanOrEqual(10_240);
    },
  );

  it.each([true, false])(
    "may be ten with names of 255 characters where everything is on: IAM takes the policies of each role (%j)",
    (minimize) => {
      const groups = named(10, 255);
      const { resources: all } = stackOf({ ...everythingOn, ...everything, groups }, minimize);
      const resources = all.filter(({ Type }) => /^AWS::IAM::(Managed)?Policy$/.test(Type));
      const roles = new Set(
        resources.flatMap(({ Properties: { Roles = [] } }) =>
          [Roles].flat().map((one) => JSON.stringify(one)),
        ),
      );
      const ofRole = (type: string, role: string) =>
        resources
          .filter(({ Type, Properties: { Roles = [] } }) => Type === type && has(Roles, role))
          .map(lengthOf);
      for (const role of roles) {
        const inline = ofRole("AWS::IAM::Policy", role);
        expect(inline.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(10_240);
        const managed = ofRole("AWS::IAM::ManagedPolicy", role);
        expect(managed.length).toBeLessThanOrEqual(10);
        for (const length of managed) expect(length).toBeLessThanOrEqual(6144);
      }
      expect(roles.size).toBeGreaterThan(5);
    },
  );
});
