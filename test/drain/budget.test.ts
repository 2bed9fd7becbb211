import { describe, expect, it, test } from "vitest";
import { milliseconds } from "../../lambda/base/time.ts";
import { type Budget, type BudgetRule, healthyBy, isExempt } from "../../lambda/drain/budget.ts";
import { disruptionsLeft } from "../../lambda/drain/budget-allowance.ts";
import type { Ledger, PodAttempt } from "../../lambda/drain/ledger.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { aBudget, ahead, aLedger, aPod, endingBy, noon } from "../support/builders.ts";

test.each<[BudgetRule, number, number]>([
  [{ kind: "minAvailable", amount: 2 }, 3, 2],
  [{ kind: "minAvailable", amount: "50%" }, 3, 2],
  [{ kind: "maxUnavailable", amount: 1 }, 3, 2],
  [{ kind: "maxUnavailable", amount: "34%" }, 3, 1],
  [{ kind: "maxUnavailable", amount: 5 }, 3, 0],
  [{ kind: "none" }, 3, 0],
])("a budget of %j asks of %d expected pods for %d healthy ones", (rule, expected, healthy) => {
  expect(healthyBy(rule, expected)).toBe(healthy);
});

describe("a pod that the API evicts without asking its budget", () => {
  const healthy: Partial<Budget> = { currentHealthy: 3, desiredHealthy: 3 };

  const unready: Partial<Pod> = { ready: false };
  const lenient: Partial<Budget> = { unhealthyPods: "always-allow", currentHealthy: 0 };

  it.each<[string, Partial<Pod>, Partial<Budget>]>([
    ["has not started", { phase: "Pending" }, {}],
    ["is not ready, and its budget always allows to evict such pods", unready, lenient],
    ["is not ready, and its budget is met without it", unready, healthy],
    ["is not ready, and its budget is more than met", unready, { ...healthy, currentHealthy: 4 }],
    [
      "is not ready, and its budget wants one pod and has it",
      unready,
      { currentHealthy: 1, desiredHealthy: 1 },
    ],
  ])("%s", (_, pod, budget) => {
    expect(isExempt(aPod(pod), aBudget(budget))).toBe(true);
  });

  it.each<[string, Partial<Pod>, Partial<Budget>]>([
    ["runs and is ready", {}, healthy],
    ["is ready, whatever its budget says of unready pods", {}, lenient],
    ["is ready, although its phase is unknown", { phase: "Unknown" }, lenient],
    ["is not ready, and its budget is not met", unready, { ...healthy, currentHealthy: 2 }],
    [
      "is not ready, and its budget wants no pod",
      unready,
      { currentHealthy: 0, desiredHealthy: 0 },
    ],
  ])("is not one that %s", (_, pod, budget) => {
    expect(isExempt(aPod(pod), aBudget(budget))).toBe(false);
  });
});

describe("the allowance of a budget", () => {
  const two = aBudget({ disruptionsAllowed: 2 });
  const given = (budget: Budget, pods: readonly Pod[], ledger: Ledger) =>
    disruptionsLeft(budget, pods, { ledger, accounts: new Map(), now: noon });
  const left = (budget: Budget, pod: Pod, attempt: Partial<PodAttempt>) =>
    given(budget, [pod], aLedger([pod, attempt]));
  const ending = aPod({ termination: endingBy(noon) });
  const accepted = { kind: "accepted" } as const;

  it("is reduced by an accepted eviction while its status is from before it", () => {
    expect(left(two, ending, { answer: accepted, budgetVersion: "7" })).toBe(1);
  });

  it("is reduced by an accepted eviction while the pod does not show it yet", () => {
    expect(left(two, aPod(), { answer: accepted, budgetVersion: "6" })).toBe(1);
  });

  describe("that has refused a pod", () => {
    const blocked = { kind: "blocked", message: "", retryAfter: "unsaid" } as const;
    const pods = [aPod({ name: "web-1" }), aPod({ name: "web-2" })] as const;
    const refused: Partial<PodAttempt> = {
      answer: blocked,
      budgetVersion: "7",
      notBefore: ahead(milliseconds(1)),
    };
    const leftAfter = (attempt: Partial<PodAttempt>) =>
      given(two, pods, aLedger([pods[0], { ...refused, ...attempt }]));

    it("is zero while its status is from before the refusal, because others have taken what it still shows", () => {
      expect(leftAfter({})).toBe(0);
    });

    it("is what its status says once the pod has rested, because the informer may never report a change", () => {
      expect(leftAfter({ notBefore: noon })).toBe(2);
    });
  });

  it("does not count twice what its status counts already", () => {
    const counted = aBudget({ disruptionsAllowed: 2, disrupted: new Map([["web-1", noon]]) });
    expect(left(counted, aPod(), {})).toBe(2);
    expect(left(counted, aPod(), { answer: accepted, budgetVersion: "7" })).toBe(2);
    expect(left(counted, aPod({ name: "web-2" }), {})).toBe(1);
  });
});
