import { describe, expect, it } from "vitest";
import type { NodeAdmission } from "../../../lambda/rights/aws-auth-use.ts";
import { assertAccess } from "../../../lib/limits/assert-access.ts";
import { ownStack } from "../own-stack.ts";

const refused: readonly [NodeAdmission, string][] = [
  [{ authenticationMode: "CONFIG_MAP", access: "access-entry" }, '"auto" or "aws-auth", for'],
  [{ authenticationMode: "API", access: "aws-auth" }, '"auto" or "access-entry", for'],
];

describe("a kind of access for nodes", () => {
  it.each(refused)(
    "that the cluster does not support is refused, with advice: %o",
    (wish, message) => {
      expect(() => assertAccess(wish)).toThrow(message);
      const { authenticationMode, access = "auto" } = wish;
      expect(() => ownStack(() => ({ authenticationMode, launch: { access } }))).toThrow(message);
    },
  );

  it.each(refused)(
    "that the cluster does not support does not matter where no launch is held: %o",
    (wish) => {
      expect(() => assertAccess({ ...wish, launching: "not held" })).not.toThrow();
    },
  );

  it.each<NodeAdmission>([
    { authenticationMode: "CONFIG_MAP" },
    { authenticationMode: "CONFIG_MAP", access: "auto" },
    { authenticationMode: "CONFIG_MAP", access: "aws-auth" },
    { authenticationMode: "API_AND_CONFIG_MAP", access: "aws-auth" },
    { authenticationMode: "API_AND_CONFIG_MAP", access: "access-entry" },
    { authenticationMode: "API", access: "access-entry" },
  ])("that the cluster supports is accepted: %o", (wish) => {
    expect(() => assertAccess(wish)).not.toThrow();
  });
});
