import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { type HookClaim, objectionTo } from "../../lambda/notice/own-hook.ts";
import { anAction } from "../support/builders.ts";

const topic = "arn:aws:sns:eu-west-1:123456789012:notices";
const others = "arn:aws:sns:eu-west-1:123456789012:others";
const own = { transition: "terminating", target: topic, onTimeout: "CONTINUE" } as const;

const objection = (hook: Parameters<typeof objectionTo>[0], claim: Partial<HookClaim> = {}) =>
  objectionTo(hook, {
    action: anAction(),
    transition: "terminating",
    hookTargets: ["arn:aws:events:eu-west-1:123456789012:event-bus/notices", topic],
    ...claim,
  });

const withoutToken = { action: anAction({ token: "unsaid" }) };

describe("a hook that a notice names", () => {
  it.each<[string, ...Parameters<typeof objection>]>([
    ["notifies this deployment", own],
    ["notifies this deployment, though the notice has no token", own, withoutToken],
    ["may be of either transition", { ...own, transition: "unknown" }],
    [
      "notifies a topic of which the function knows nothing",
      { ...own, target: others },
      { hookTargets: [] },
    ],
    [
      "notifies nobody, as one for EventBridge does, whose event has the token",
      { ...own, target: "" },
    ],
    ["could not be read", new Fault("aws.denied", "reading the hook"), withoutToken],
  ])("may be the one that it claims where it %s", (_, hook, claim) => {
    expect(objection(hook, claim)).toBe("");
  });

  it.each<[string, ...Parameters<typeof objection>]>([
    ["group workers has no hook Terminate-LC-Hook", "absent"],
    ["is for launching instances", { ...own, transition: "launching" }],
    [`notifies ${others}, not this deployment`, { ...own, target: others }],
    ["notifies nobody, and the notice has no token", { ...own, target: "" }, withoutToken],
  ])("is another one: %s", (why, hook, claim) => {
    const named = hook === "absent" ? why : `hook Terminate-LC-Hook of group workers ${why}`;
    expect(objection(hook, claim)).toBe(named);
  });
});
