import { describe, expect, it } from "vitest";
import type { Budget } from "../../lambda/drain/budget.ts";
import { heldByBudget } from "../../lambda/drain/held-by-budget.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { aBudget, anExhaustedBudget, aPod, aSnapshot } from "../support/builders.ts";

const namesOver = (pod: Pod, budgets: readonly Budget[]) =>
  heldByBudget(aSnapshot({ pods: [pod], budgets })).map((held) =>
    held.budgets.map(({ name }) => name),
  );

describe("a pod under two budgets", () => {
  const lenient = aBudget({ name: "lenient", unhealthyPods: "always-allow" });

  it("is held by both, though each would let it go, because the API evicts no such pod", () => {
    expect(namesOver(aPod(), [aBudget(), lenient])).toEqual([["web-pdb", "lenient"]]);
  });
});

it("a pod under one budget is held only where that budget is asked and has nothing left", () => {
  expect(namesOver(aPod(), [anExhaustedBudget()])).toEqual([["web-pdb"]]);
  expect(namesOver(aPod(), [aBudget()])).toEqual([]);
  expect(namesOver(aPod({ phase: "Pending" }), [anExhaustedBudget()])).toEqual([]);
});
