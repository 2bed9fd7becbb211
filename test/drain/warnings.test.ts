import { describe, expect, it } from "vitest";
import { warningsOf } from "../../lambda/drain/warnings.ts";
import { aBudget, anExhaustedBudget, aPod, ownedBy } from "../support/builders.ts";

const karpenter = "karpenter.sh/do-not-disrupt";
const ours = "eks-node-lifecycle/drain";

describe("the warnings about a pod", () => {
  it("say early which budgets will never allow its eviction", () => {
    const never = aBudget({
      name: "never",
      meetable: "if-raised",
      rule: { kind: "maxUnavailable", amount: 0 },
    });
    expect(warningsOf(aPod(), [never])).toEqual([
      "budget demo/never, which can never be met (maxUnavailable 0): raise it",
    ]);
    expect(warningsOf(aPod(), [never, aBudget({ name: "web" })])).toEqual([
      "2 budgets select it (demo/never, demo/web), and the API evicts no such pod: leave one",
    ]);
    expect(warningsOf(aPod(), [anExhaustedBudget()])).toEqual([]);
    expect(warningsOf(aPod({ phase: "Pending", ready: false }), [never])).toEqual([]);
  });

  it("say what helps where the disruption controller cannot count the pods of a budget", () => {
    const uncounted = "jobs.batch does not implement the scale subresource";
    const budget = aBudget({
      rule: { kind: "maxUnavailable", amount: "30%" },
      meetable: "if-counted",
      uncounted,
    });
    const words = `budget demo/web-pdb, which can never be met (maxUnavailable 30%): ${uncounted}; give it a whole minAvailable, or leave out the pods that it cannot count`;
    expect(warningsOf(aPod(), [budget])).toEqual([words]);
    const pod = aPod({ controller: ownedBy("Job", "batch/v1") });
    expect(warningsOf(pod, [budget])).toEqual([`${words}; a Job's pod ends by itself`]);
  });

  it("say that a budget counts no bare pods, and nothing of pods that it is about to count", () => {
    const budget = anExhaustedBudget({ meetable: "if-counted" });
    expect(warningsOf(aPod({ controller: { kind: "none" } }), [budget])).toEqual([
      "budget demo/web-pdb, which can never be met (maxUnavailable 1): it counts no pods without a controller; give it a whole minAvailable",
      "no controller will put it up again",
    ]);
    expect(warningsOf(aPod(), [budget])).toEqual([]);
  });

  it("are all given if several apply", () => {
    const annotations = { [karpenter]: "soon", [ours]: "later" };
    const pod = aPod({ controller: { kind: "none" }, localStorage: true, annotations });
    expect(warningsOf(pod, [])).toEqual([
      "no controller will put it up again",
      "the data of its emptyDir volumes is lost",
      `its annotation ${ours}: later is not heeded, for it is not skip or wait-completed`,
      `its annotation ${karpenter}: soon is not heeded, for it is not true, false or a time such as 4h`,
    ]);
  });

  it.each([
    [karpenter, "true"],
    [karpenter, "false"],
    [karpenter, "4h"],
    [karpenter, "1ms"],
    [ours, "skip"],
    [ours, "Wait-Completed"],
  ])("say nothing about %s: %s", (key, value) => {
    expect(warningsOf(aPod({ annotations: { [key]: value } }), [])).toEqual([]);
  });
});
