import { describe, expect, it } from "vitest";
import { roleInMap } from "../../../lambda/launch/aws-auth/role-in-map.ts";
import { nodeMapping } from "../../../lambda/launch/node-mapping.ts";
import { admin, arnOf, managed, roleOf } from "./corpus.ts";

const nodes = managed("node");
const administrator = nodes.replace(/username: .*/, "username: admin");
const ownGroup = nodes.replace("  rolearn", "  - owners\n  rolearn");
const sessions = nodes.replace("EC2PrivateDNSName", "SessionName");
const windows = "eks:kube-proxy-windows";

const rights = (mapRoles: string, platform: "linux" | "windows") =>
  roleInMap(mapRoles, nodeMapping(roleOf("node"), platform));

describe("what aws-auth gives to the holders of a role", () => {
  it.each([
    ["there is no text", ""],
    ["no entry names it", admin],
    ["a comment alone names it", `${admin}# ${arnOf("node")}\n`],
    ["the text cannot be read", `---\n${administrator}`],
    ["it has less than nodes have", nodes.replace("  - system:bootstrappers\n", "")],
  ])("is nothing that an access entry would take away where %s", (_, mapRoles) => {
    expect(rights(mapRoles, "linux")).toEqual({ kind: "free" });
  });

  it("is nothing that an access entry for Windows would take away where it has all that nodes of Linux have", () => {
    expect(rights(nodes, "windows")).toEqual({ kind: "free" });
  });

  it.each([nodes, ownGroup, sessions])("is enough where it has all that nodes have: %j", (text) => {
    expect(rights(admin + text, "linux")).toEqual({ kind: "enough" });
  });

  it.each([
    [ownGroup, ["owners"]],
    [sessions, ["system:node:{{SessionName}}"]],
    [
      ownGroup.replace("EC2PrivateDNSName", "SessionName"),
      ["system:node:{{SessionName}}", "owners"],
    ],
  ])("is too little for nodes, and more than an access entry has: %j", (text, has) => {
    const line = (admin + text).split("\n").findIndex((one) => one.includes(arnOf("node"))) + 1;
    expect(rights(admin + text, "windows")).toEqual({ kind: "other", lacks: [windows], has, line });
  });

  it("is another user where that is no node", () => {
    const taken = { kind: "taken", username: "admin", line: 8 };
    expect(rights(admin + administrator, "linux")).toEqual(taken);
    expect(rights(admin + administrator, "windows")).toEqual(taken);
  });
});
