import { describe, expect, it } from "vitest";
import type { NodeLifecycleProps } from "../../../lib/node-lifecycle-props.ts";
import { ownStack } from "../own-stack.ts";

type Change = Partial<NodeLifecycleProps>;
const roles =
  /^nodeRoles \(nodeRoleArns of the cluster's file\): expected the roles of the nodes, /;
const finds = '"npx eks-node-lifecycle init own --json" finds them';

describe("a deployment that could use any role of the account", () => {
  it.each<[string, Change, RegExp]>([
    ["makes access entries in mode API", {}, /may make access entries for, and pass to EKS/],
    [
      "makes access entries beside aws-auth",
      { authenticationMode: "API_AND_CONFIG_MAP" },
      /may make access entries for/,
    ],
    ["maps them in aws-auth", { authenticationMode: "CONFIG_MAP" }, /may map in aws-auth/],
    [
      "is to map them in aws-auth",
      { authenticationMode: "API_AND_CONFIG_MAP", launch: { access: "aws-auth" } },
      /may map in aws-auth/,
    ],
    ["lets them in itself", { launch: { access: "at deployment" } }, /"at deployment" registers/],
    [
      "upgrades groups, and holds no launch",
      { upgrades: "on", hooks: { launching: "not held" } },
      /upgrades may launch instances with/,
    ],
  ])("is refused with what to paste if it %s", (_, change, why) => {
    for (const nodeRoles of [undefined, []]) {
      const refused = () => ownStack(() => ({ ...change, nodeRoles }));
      expect(refused).toThrow(roles);
      expect(refused).toThrow(why);
      expect(refused).toThrow(`such as ["arn:aws:iam::123456789012:role/nodes"]; ${finds}`);
    }
    expect(() => ownStack(() => change)).not.toThrow();
  });

  it.each<[string, Change]>([
    ["holds no launch", { hooks: { launching: "not held" } }],
    [
      "holds no launch that aws-auth would let in",
      { authenticationMode: "CONFIG_MAP", hooks: { launching: "not held" } },
    ],
  ])("is not refused if it %s", (_, change) => {
    expect(() => ownStack(() => ({ ...change, nodeRoles: undefined }))).not.toThrow();
  });

  it("is refused if its upgrades could use any launch template", () => {
    const refused = () => ownStack(() => ({ upgrades: "on", launchTemplates: [] }));
    expect(refused).toThrow(
      /^launchTemplates \(launchTemplateIds of the cluster's file\): expected the /,
    );
    expect(refused).toThrow(`such as ["lt-0123456789abcdef0"]; ${finds}`);
  });
});
