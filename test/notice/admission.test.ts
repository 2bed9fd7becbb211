import { describe, expect, it } from "vitest";
import { groupName } from "../../lambda/base/ids.ts";
import {
  type AdmissionRequest,
  admission,
  heldLaunching,
  heldTerminating,
  isCalledOff,
  isEarly,
} from "../../lambda/notice/admission.ts";
import { anAction } from "../support/builders.ts";

const group = groupName("workers");
const heldIn = (state: string) => ({ kind: "member", group, state }) as const;
const judged = (change: Partial<AdmissionRequest>) =>
  admission({
    action: anAction({ group }),
    heldIn: heldTerminating,
    membership: heldIn("Terminating:Wait"),
    managed: [groupName("gpu"), group],
    tags: {},
    ...change,
  });

const instance = "instance i-07e9ea9eb19a67337";

describe("the groups that have a tag", () => {
  const managed = [groupName("gpu"), { key: "cluster", value: "demo" }];

  it("are managed besides those that are named", () => {
    expect(judged({ managed, tags: { cluster: "demo", team: "a" } })).toEqual({ kind: "admitted" });
    expect(judged({ managed: [group, ...managed] })).toEqual({ kind: "admitted" });
  });

  it.each([{}, { cluster: "other" }, { Cluster: "demo" }, { demo: "cluster" }])(
    "are no others, such as one with the tags %j",
    (tags) => {
      expect(judged({ managed, tags })).toEqual({
        kind: "refused",
        why: "not managed",
        reason:
          "group workers is not managed here (managed: gpu, groups with the tag cluster=demo)",
      });
    },
  );
});

describe("a notice is admitted", () => {
  it.each([
    ["terminate", "Terminating:Wait", heldTerminating],
    ["terminate", "Warmed:Terminating:Wait", heldTerminating],
    ["terminate", "Warmed:Pending:Wait", heldTerminating],
    ["launch", "Pending:Wait", heldLaunching],
    ["launch", "Warmed:Pending:Wait", heldLaunching],
  ])("of a %s hook, which may hold an instance that is %s", (_, state, states) => {
    expect(judged({ heldIn: states, membership: heldIn(state) })).toEqual({ kind: "admitted" });
  });

  it("where Auto Scaling tells neither its group nor the tags, which the hook then has to prove", () => {
    const managed = [{ key: "cluster", value: "demo" }];
    expect(judged({ managed, tags: "unread" })).toEqual({ kind: "admitted" });
    expect(judged({ membership: "unread" })).toEqual({ kind: "admitted" });
  });
});

describe("a notice is refused", () => {
  it("for a group that is not managed here, whatever else is true", () => {
    expect(judged({ managed: [groupName("gpu"), groupName("spot")] })).toEqual({
      kind: "refused",
      why: "not managed",
      reason: "group workers is not managed here (managed: gpu, spot)",
    });
  });

  it("for an instance in no group", () => {
    expect(judged({ membership: { kind: "none" } })).toEqual({
      kind: "refused",
      why: "no group",
      reason: `${instance} is in no Auto Scaling group`,
    });
  });

  it("for an instance in another group, even if that is managed too", () => {
    const membership = {
      kind: "member",
      group: groupName("gpu"),
      state: "Terminating:Wait",
    } as const;
    expect(judged({ membership })).toEqual({
      kind: "refused",
      why: "not held",
      reason: `${instance} is in group gpu, not in workers`,
    });
  });

  it.each([
    "Pending:Wait",
    "InService",
    "Terminating",
    "Terminating:Proceed",
    "Terminated",
    "Standby",
    "terminating:wait",
    "",
  ])("for an instance that is %s", (state) => {
    expect(judged({ membership: heldIn(state) })).toEqual({
      kind: "refused",
      why: "not held",
      reason: `${instance} is ${state}, not Terminating:Wait`,
    });
  });
});

describe("a launch notice that comes early", () => {
  it("is recognised while Auto Scaling knows no instance, or has not called the hook yet", () => {
    expect(isEarly({ kind: "none" })).toBe(true);
    const early = ["Pending", "Warmed:Pending"];
    const others = ["Pending:Wait", "Warmed:Pending:Wait", "Pending:Proceed", "InService", ""];
    for (const state of [...early, ...others])
      expect([state, isEarly(heldIn(state))]).toEqual([state, early.includes(state)]);
  });
});

describe("a termination that is called off", () => {
  const member = { kind: "member", group: groupName("workers"), state: "InService" } as const;

  it("is recognised when an instance whose notice was worked on before is in service again", () => {
    expect(isCalledOff(member, 2)).toBe(true);
  });

  it("is not assumed at the first receive, because anybody may have sent the notice", () => {
    expect(isCalledOff(member, 1)).toBe(false);
  });

  it("is not assumed of an instance in no group", () => {
    expect(isCalledOff({ kind: "none" }, 2)).toBe(false);
  });

  it.each(["Terminating:Proceed", "Terminated", "Standby"])(
    "is not assumed in state %s",
    (state) => {
      expect(isCalledOff({ ...member, state }, 2)).toBe(false);
    },
  );
});
