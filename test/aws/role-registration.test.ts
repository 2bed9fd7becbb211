import { describe, expect, it } from "vitest";
import { RoleRegistration } from "../../lambda/aws/node-access.ts";
import { minutes } from "../../lambda/base/time.ts";
import type { AccessByFunction, NodeRole } from "../../lambda/launch/node-mapping.ts";
import type { AuthenticationMode } from "../../sandbox/aws/eks.ts";
import { aServedAccount } from "../support/aws-account.ts";

const role: NodeRole = { arn: "arn:aws:iam::123456789012:role/node", platform: "linux" };

/** A cluster in some authentication mode, and how a role is registered in it. */
async function aCluster(
  authenticationMode: AuthenticationMode,
  nodeAccess: AccessByFunction = "auto",
) {
  const { aws, eks, timeline } = await aServedAccount();
  const name = "demo";
  const address = { endpoint: "https://127.0.0.1", certificateAuthority: "", version: "1.36" };
  aws.eks.createCluster({ name, ...address, authenticationMode });
  let mapped: "mapped" | "not mapped" = "not mapped";
  const access = new RoleRegistration({
    eks,
    clusterName: name,
    nodeAccess,
    clock: timeline,
    awsAuth: {
      register: async () => ({ by: "aws-auth", change: "none", version: "1" }),
      standing: async () => ({
        standing: { kind: mapped === "mapped" ? "enough" : "free" },
        version: "1",
      }),
    },
    entries: {
      register: async () => ({ by: "access-entry", change: "none", version: "" }),
      has: async () => false,
    },
  });
  return {
    aws,
    timeline,
    map() {
      mapped = "mapped";
    },
    way: async () => (await access.register(role)).by,
    asked: () => aws.calls.of("DescribeCluster").length,
  };
}

describe("the registration of a role", () => {
  it.each([
    ["CONFIG_MAP", "aws-auth"],
    ["API_AND_CONFIG_MAP", "access-entry"],
    ["API", "access-entry"],
  ] as const)("follows the authentication mode: %s", async (mode, by) => {
    const { way } = await aCluster(mode);

    expect(await way()).toBe(by);
  });

  it("uses aws-auth in the mode of both if aws-auth maps the role already", async () => {
    const both = await aCluster("API_AND_CONFIG_MAP");
    both.map();

    expect(await both.way()).toBe("aws-auth");
  });

  it.each([
    ["aws-auth", "API"],
    ["access-entry", "CONFIG_MAP"],
  ] as const)("may be chosen, and then EKS is not called: %s", async (choice, mode) => {
    const { way, asked } = await aCluster(mode, choice);

    expect(await way()).toBe(choice);
    expect(asked()).toBe(0);
  });

  it("reads the mode once, and again when it may have changed", async () => {
    const { aws, way, asked, timeline } = await aCluster("CONFIG_MAP");
    await Promise.all([way(), way()]);
    expect(await way()).toBe("aws-auth");
    expect(asked()).toBe(1);

    aws.eks.updateCluster("demo", { authenticationMode: "API" });
    timeline.pass(minutes(6));

    expect(await way()).toBe("access-entry");
    expect(asked()).toBe(2);
  });
});
