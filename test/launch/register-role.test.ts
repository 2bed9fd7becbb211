import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { instant } from "../../lambda/base/time.ts";
import type { Ec2Instance } from "../../lambda/group/ec2-instance.ts";
import { isSameState, type RoleState } from "../../lambda/launch/register-role.flow.ts";

const ec2Instance: Ec2Instance = {
  names: [],
  platform: "linux",
  profile: "",
  vpc: "",
  launched: instant(0),
  life: "there",
  lifecycle: "on-demand",
};
const open: RoleState = {
  kind: "unregistered",
  reason: "EC2 does not know it yet",
  fault: "none",
  underWay: "none",
  ec2Instance: "unknown",
};
const registered: RoleState = { kind: "registered", role: "node", ec2Instance };

describe("the state of a role", () => {
  it.each<[string, RoleState, RoleState]>([
    ["for the same reason", open, { ...open, fault: new Fault("aws.denied", "no") }],
    ["of an instance that EC2 describes anew", registered, { ...registered, role: "other" }],
  ])("is the same %s", (_, one, other) => {
    expect(isSameState(one, other)).toBe(true);
  });

  it.each<[string, RoleState, RoleState]>([
    ["for another reason", open, { ...open, reason: "there is no role" }],
    ["once EC2 knows the instance", open, { ...open, ec2Instance }],
    ["once it is registered", { ...open, ec2Instance, reason: "" }, registered],
  ])("is another %s", (_, one, other) => {
    expect(isSameState(one, other)).toBe(false);
    expect(isSameState(other, one)).toBe(false);
  });
});
