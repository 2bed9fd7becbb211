import { expect, it } from "vitest";
import {
  type AwsAuthUse,
  awsAuthUse,
  type NodeAdmission,
} from "../../lambda/rights/aws-auth-use.ts";

type Case = readonly [
  NodeAdmission["authenticationMode"],
  NodeAdmission["access"],
  NodeAdmission["launching"],
  AwsAuthUse,
];

it.each<Case>([
  ["CONFIG_MAP", "auto", "held", "edit"],
  ["CONFIG_MAP", "aws-auth", "held", "edit"],
  ["CONFIG_MAP", "access-entry", "held", "none"],
  ["CONFIG_MAP", "auto", "not held", "none"],
  ["API_AND_CONFIG_MAP", "auto", "held", "read"],
  ["API_AND_CONFIG_MAP", "aws-auth", "held", "edit"],
  ["API_AND_CONFIG_MAP", "access-entry", "held", "none"],
  ["API_AND_CONFIG_MAP", "aws-auth", "not held", "none"],
  ["API", "auto", "held", "none"],
  ["API", "aws-auth", "held", "none"],
])(
  "in mode %s, with access by %s and launching instances %s, the function's use of aws-auth is: %s",
  (...one) => {
    const [authenticationMode, access, launching, use] = one;
    expect(awsAuthUse({ authenticationMode, access, launching })).toBe(use);
  },
);
