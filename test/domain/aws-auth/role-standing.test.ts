import { expect, it } from "vitest";
import { roleStanding } from "../../../lambda/domain/aws-auth/role-standing.ts";
import { nodeMapping } from "../../../lambda/domain/launch/node-mapping.ts";
import { tryRoleArn } from "../../../lambda/domain/launch/role-arn.ts";

function standingIn(mapRoles: string) {
  const role = tryRoleArn("arn:aws:iam::123456789012:role/karpenter-in-eu");
  if (role === undefined) throw new Error("the test's ARN is no role's");
  return roleStanding(mapRoles, nodeMapping(role, "linux")).kind;
}

// Go puts \u0130 in lower case as an i, JavaScript as two characters; \u017f is an s to some of Go's comparisons.
it.each([
  ["an i with a dot", "karpenter-\u0130n-eu", "unreadable"],
  ["a long s", "karpenter-in-eu\u017f", "unreadable"],
  ["capitals", "KARPENTER-IN-EU", "unreadable"],
  ["a longer name", "karpenter-in-europe", "free"],
])("an unreadable text may name a role with %s: %s is %s", (_, name, kind) => {
  const entry = `- rolearn: arn:aws:iam::123456789012:role/${name}\n`;
  expect(standingIn(`- groups:\n  -\tsystem:masters\n${entry}`)).toBe(kind);
});
