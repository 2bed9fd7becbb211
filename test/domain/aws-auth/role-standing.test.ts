import { expect, it } from "vitest";
import { roleStanding } from "../../../lambda/domain/aws-auth/role-standing.ts";
import { nodeMapping } from "../../../lambda/domain/launch/node-mapping.ts";
import { arnOf, roleOf } from "./corpus.ts";

const standingIn = (mapRoles: string) =>
  roleStanding(mapRoles, nodeMapping(roleOf("karpenter-in-eu"), "linux")).kind;

// Go puts \u0130 in lower case as an i, JavaScript as two characters; \u017f is an s to some of Go's comparisons.
it.each([
  ["an i with a dot", "karpenter-\u0130n-eu", "unreadable"],
  ["a long s", "karpenter-in-eu\u017f", "unreadable"],
  ["capitals", "KARPENTER-IN-EU", "unreadable"],
  ["a longer name", "karpenter-in-europe", "free"],
])("an unreadable text may name a role with %s: %s is %s", (_, name, kind) => {
  const entry = `- rolearn: ${arnOf(name)}\n`;
  expect(standingIn(`- groups:\n  -\tsystem:masters\n${entry}`)).toBe(kind);
});
