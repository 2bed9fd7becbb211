import { describe, expect, it } from "vitest";
import { later, milliseconds, minutes, never, seconds } from "../../lambda/base/time.ts";
import type { BudgetAllowance } from "../../lambda/drain/budget-allowance.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import { evictionPlan, overduePlan } from "../../lambda/drain/eviction-plan.ts";
import type { PodAttempt } from "../../lambda/drain/ledger.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import { aBudget, ahead, aLedger, aNode, aPod, aSnapshot, noon } from "../support/builders.ts";

const pod = aPod();
const full: BudgetAllowance = {
  take: () => true,
  takeUnread: () => true,
  isCrowded: () => false,
  from: () => noon,
  freed: () => never,
};
const empty: BudgetAllowance = {
  take: () => false,
  takeUnread: () => false,
  isCrowded: () => true,
  from: () => noon,
  freed: () => never,
};
const soon = ahead(seconds(4));

const plan = (change: Partial<Snapshot>, allowance = full) =>
  evictionPlan(pod, allowance, aSnapshot(change));
const afterAttempt = (attempt: Partial<PodAttempt>) => aLedger([pod, attempt]);
const refused: Eviction = { kind: "blocked", message: "", retryAfter: "unsaid" };
const denied: Eviction = { kind: "denied", message: "" };

describe("a pod with a budget", () => {
  const budgets = [aBudget()];

  it("is requested at once after a refusal if the budget has changed since", () => {
    const ledger = afterAttempt({ answer: refused, notBefore: soon, budgetVersion: "6" });
    expect(plan({ budgets, ledger }).at).toBe(noon);
    expect(plan({ budgets, ledger }, empty).at).toBe(never);
  });

  it("rests after any other answer although the budget has changed since", () => {
    const ledger = afterAttempt({ answer: denied, notBefore: soon, budgetVersion: "6" });
    expect(plan({ budgets, ledger }).at).toBe(soon);
  });
});

describe("the grace of an evicted pod", () => {
  const graceOf = (change: Partial<Pod>, scene: Partial<Snapshot> = {}) =>
    evictionPlan(aPod(change), full, aSnapshot(scene)).request.grace;
  const unreachable = aNode({ readiness: "unreachable" });

  it("is one second on an unreachable node, which cannot tell the pod to end", () => {
    expect(graceOf({}, { node: unreachable })).toBe(seconds(1));
    expect(graceOf({ grace: minutes(60) }, { node: unreachable })).toBe(seconds(1));
    expect(graceOf({ grace: milliseconds(1001) }, { node: unreachable })).toBe(seconds(1));
  });

  it("is the pod's own on an unreachable node if that is a second or less", () => {
    expect(graceOf({ grace: seconds(1) }, { node: unreachable })).toBe("own");
    expect(graceOf({ grace: seconds(0) }, { node: unreachable })).toBe("own");
  });
});

it("a pod that is out of time waits for other evictions only where no budget is known that lets it go", () => {
  const allowance: BudgetAllowance = { ...full, takeUnread: () => false };
  const unread = new Map([[pod.namespace, "it is too large"]]);
  const plannedUnder = (budgets: Snapshot["budgets"]) =>
    overduePlan(pod, allowance, aSnapshot({ budgets, unread }));
  expect(plannedUnder([aBudget()])).toMatchObject({ request: { verb: "evict" }, at: noon });
  expect(plannedUnder([])).toMatchObject({ request: { verb: "evict" }, at: never });
});

it("a pod that tolerates the mark is evicted in the first second after it, so that its replacement is younger", () => {
  const tolerations = [{ key: "", operator: "Exists", value: "", effect: "" }];
  const marked = { marked: noon };
  expect(evictionPlan(aPod({ tolerations }), full, aSnapshot(marked)).at).toBe(
    later(noon, seconds(1)),
  );
  expect(plan(marked).at).toBe(noon);
});
