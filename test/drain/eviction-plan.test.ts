import { describe, expect, it } from "vitest";
import { milliseconds, minutes, never, seconds } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { BudgetAllowance } from "../../lambda/drain/budget-allowance.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import { evictionPlan, tryGoverning } from "../../lambda/drain/eviction-plan.ts";
import type { Attempt } from "../../lambda/drain/ledger.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import {
  aBudget,
  ahead,
  aLedger,
  aNode,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  noon,
} from "../builders.ts";

const pod = aPod();
const full: BudgetAllowance = { take: () => true, from: () => noon, freed: () => never };
const empty: BudgetAllowance = { take: () => false, from: () => noon, freed: () => never };
const soon = ahead(seconds(4));

const plan = (change: Partial<Snapshot>, allowance = full) =>
  evictionPlan(pod, allowance, aSnapshot(change));
const afterAttempt = (attempt: Partial<Attempt>) => aLedger([pod, attempt]);
const refused: Eviction = { kind: "blocked", message: "", retryAfter: "unsaid" };
const denied: Eviction = { kind: "denied", message: "" };

describe("the budget that governs a pod", () => {
  const other = aBudget({ name: "other" });

  it("is the one that selects it", () => {
    const elsewhere = aBudget({ namespace: "shop" });
    expect(tryGoverning(pod, [elsewhere, other])).toBe(other);
  });

  it.each<[string, Partial<Pod>, readonly Budget[]]>([
    ["no budget selects it", {}, []],
    [
      "two budgets select it, because the API refuses such pods whatever they allow",
      {},
      [aBudget(), other],
    ],
    ["the API evicts the pod without asking its budget", { phase: "Pending" }, [aBudget()]],
  ])("does not exist if %s", (_, change, budgets) => {
    expect(tryGoverning(aPod(change), budgets)).toBeUndefined();
  });
});

describe("a pod without a budget", () => {
  it("is evicted at once", () => {
    expect(plan({})).toEqual({
      request: { verb: "evict", pod, grace: "own", budgetVersion: "" },
      at: noon,
    });
  });
});

describe("a pod with a budget", () => {
  const budgets = [aBudget()];

  it("is evicted at once if the budget has a disruption left, by a request that names the budget's version", () => {
    expect(plan({ budgets })).toEqual({
      request: { verb: "evict", pod, grace: "own", budgetVersion: "7" },
      at: noon,
    });
  });

  it("is not evicted before the budget changes if the budget has none left, because a request would be in vain", () => {
    expect(plan({ budgets }, empty).at).toBe(never);
  });

  it("takes no disruption of the budget while it rests", () => {
    const allowance: BudgetAllowance = {
      take() {
        throw new Error("taken");
      },
      from: () => noon,
      freed: () => never,
    };
    const ledger = afterAttempt({ answer: refused, notBefore: soon, budgetVersion: "7" });
    expect(plan({ budgets, ledger }, allowance).at).toBe(soon);
  });

  it("is requested at once after a refusal if the budget has changed since", () => {
    const ledger = afterAttempt({ answer: refused, notBefore: soon, budgetVersion: "6" });
    expect(plan({ budgets, ledger }).at).toBe(noon);
    expect(plan({ budgets, ledger }, empty).at).toBe(never);
  });

  it("rests after any other answer although the budget has changed since", () => {
    const ledger = afterAttempt({ answer: denied, notBefore: soon, budgetVersion: "6" });
    expect(plan({ budgets, ledger }).at).toBe(soon);
  });

  it("is requested as soon as it has rested, to the millisecond", () => {
    const rested = afterAttempt({ answer: denied, notBefore: noon, budgetVersion: "7" });
    expect(plan({ budgets, ledger: rested }).at).toBe(noon);
    expect(plan({ budgets, ledger: rested }, empty).at).toBe(never);
  });

  it("is requested after its own rest where the API does not ask the budget", () => {
    const unready = aPod({ ready: false });
    const exempting = aBudget({ ...anExhaustedBudget(), unhealthyPods: "always-allow" });
    const answer: Partial<Attempt> = { answer: refused, notBefore: soon, budgetVersion: "7" };
    const ledger = aLedger([unready, answer]);
    const snapshot = aSnapshot({ budgets: [exempting], ledger });
    expect(evictionPlan(unready, empty, snapshot)).toMatchObject({
      request: { budgetVersion: "" },
      at: soon,
    });
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

  it("is the pod's own on a node that reports itself as not ready, because its kubelet still ends pods", () => {
    expect(graceOf({}, { node: aNode({ readiness: "not-ready" }) })).toBe("own");
  });
});
