import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type HeldInstance, noticesFor } from "../../../cli/resend/lost-notice.ts";
import { instanceId } from "../../../lambda/base/ids.ts";
import { instant } from "../../../lambda/base/time.ts";
import { readNotice } from "../../../lambda/notices.ts";

const instance = instanceId("i-07e9ea9eb19a67337");
const now = instant(Date.parse("2026-03-23T10:04:18Z"));
const held = (change: Partial<HeldInstance> = {}): HeldInstance => ({
  instance,
  group: "workers",
  isManaged: true,
  state: "Terminating:Wait",
  hooks: ["Terminate-LC-Hook"],
  launchHooks: [],
  passes: 0,
  ...change,
});
const bodies = (one: HeldInstance) => {
  const result = noticesFor(instance, [one], { now });
  return result.kind === "notices" ? result.notices.map(({ body }) => body) : [];
};

describe("the notice of a held instance", () => {
  it.each([
    ["Terminating:Wait", "terminating", { origin: "group", destination: "terminated" }],
    ["Pending:Wait", "launching", { origin: "new", destination: "group" }],
    ["Warmed:Pending:Wait", "launching", { destination: "warm-pool" }],
    ["Warmed:Pending:Wait", "terminating", { origin: "group", destination: "warm-pool" }],
    ["Warmed:Terminating:Wait", "terminating", { origin: "warm-pool" }],
  ])("is read as Auto Scaling's own of an instance in %s, without a token", (state, kind, rest) => {
    const launchHooks = kind === "launching" ? ["Terminate-LC-Hook"] : [];
    const [body] = bodies(held({ state, launchHooks }));

    expect(readNotice(body, "")).toMatchObject({
      kind,
      action: { instance, group: "workers", hook: "Terminate-LC-Hook", token: "unsaid" },
      since: now,
      ...rest,
    });
  });

  it("has the fields of a saved one, but for those that only Auto Scaling knows", () => {
    const { Records } = JSON.parse(readFileSync("events/sns-asg-terminate.json", "utf8")) as {
      readonly Records: readonly [{ readonly Sns: { readonly Message: string } }];
    };
    const saved = Object.keys(JSON.parse(Records[0].Sns.Message) as object);
    const [body = {}] = bodies(held());

    const unknown = new Set([
      "AccountId",
      "Destination",
      "Origin",
      "RequestId",
      "NotificationMetadata",
    ]);
    expect(new Set(saved.filter((key) => !(key in body)))).toEqual(unknown);
    expect(Object.keys(body).filter((key) => !saved.includes(key))).toEqual([]);
  });

  it("is one for each hook that holds the instance", () => {
    expect(bodies(held({ hooks: ["a", "b"] }))).toHaveLength(2);
  });

  it.each([
    [
      "no hook of the deployment holds",
      held({ hooks: [], state: "InService" }),
      /InService.*no hook/,
    ],
    ["is of a group that nobody manages", held({ isManaged: false }), /not manage group workers/],
    ["the function works on already", held({ passes: 3 }), /begun 3 passes/],
    [
      "is in no group of the deployment",
      held({ instance: instanceId("i-00000000000000001") }),
      /in no group/,
    ],
  ])("is not sent for an instance that %s", (_, one, why) => {
    expect(noticesFor(instance, [one], { now })).toEqual({
      kind: "unsent",
      instance,
      why: expect.stringMatching(why),
    });
  });

  it("is sent also where the function works on it, if somebody says so", () => {
    expect(noticesFor(instance, [held({ passes: 3 })], { now, anyway: true })).toMatchObject({
      kind: "notices",
    });
  });
});
