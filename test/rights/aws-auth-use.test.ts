import { expect, it } from "vitest";
import {
  type AwsAuthUse,
  awsAuthUse,
  makesEntries,
  type NodeAdmission,
} from "../../lambda/rights/aws-auth-use.ts";

type Case = readonly [
  NodeAdmission["authenticationMode"],
  NodeAdmission["access"],
  NodeAdmission["launching"],
  AwsAuthUse,
];

const admission = (
  authenticationMode: NodeAdmission["authenticationMode"],
  access: NodeAdmission["access"],
  launching: NodeAdmission["launching"],
): NodeAdmission => ({ authenticationMode, access, launching });

it.each<Case>([
  ["CONFIG_MAP", "auto", "held", "edit"],
  ["CONFIG_MAP", "aws-auth", "held", "edit"],
  ["CONFIG_MAP", "access-entry", "held", "none"],
  ["CONFIG_MAP", "auto", "not held", "none"],
  ["API_AND_CONFIG_MAP", "auto", "held", "read"],
  ["API_AND_CONFIG_MAP", "aws-auth", "held", "edit"],
  ["API_AND_CONFIG_MAP", "access-entry", "held", "none"],
  ["API_AND_CONFIG_MAP", "aws-auth", "not held", "none"],
  ["CONFIG_MAP", "at deployment", "held", "none"],
  ["API", "auto", "held", "none"],
  ["API", "aws-auth", "held", "none"],
])(
  "in mode %s, with access by %s and launching instances %s, the function's use of aws-auth is: %s",
  (authenticationMode, access, launching, use) => {
    expect(awsAuthUse(admission(authenticationMode, access, launching))).toBe(use);
  },
);

it("access is chosen by the mode of the cluster, and launching instances are held, where nothing else is said", () => {
  expect(awsAuthUse({ authenticationMode: "CONFIG_MAP" })).toBe("edit");
});

it.each<readonly [...Parameters<typeof admission>, boolean]>([
  ["API", "auto", "held", true],
  ["API_AND_CONFIG_MAP", "access-entry", "held", true],
  ["API_AND_CONFIG_MAP", "aws-auth", "held", false],
  ["CONFIG_MAP", "auto", "held", false],
  ["API", "auto", "not held", false],
  ["API", "at deployment", "held", false],
])(
  "in mode %s, with access by %s and launching instances %s, that the function makes access entries is %s",
  (authenticationMode, access, launching, makes) => {
    expect(makesEntries(admission(authenticationMode, access, launching))).toBe(makes);
  },
);
