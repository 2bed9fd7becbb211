import { expect, it } from "vitest";
import { BudgetLog } from "../../lambda/drain/budget-log.flow.ts";
import type { DrainEntry } from "../../lambda/drain/drain-entry.ts";
import { aBudget, anExhaustedBudget, aPod, aSnapshot, drained } from "../support/builders.ts";

it("the pods that budgets no longer hold are told in few looks, however many budgets each has", () => {
  const many = 40;
  let looks = 0;
  const names = Array.from({ length: many }, (_, at) => `web-${at}`);
  const budgets = names.map((name) =>
    Object.defineProperty(anExhaustedBudget(), "name", {
      enumerable: true,
      get: () => {
        looks += 1;
        return name;
      },
    }),
  );
  const told: DrainEntry[] = [];
  const log = new BudgetLog(drained, { record: (entry) => told.push(entry) });

  log.tell(aSnapshot({ pods: names.map((name) => aPod({ name })), budgets }));
  log.tell(aSnapshot({ budgets }));

  expect(told.map(({ kind }) => kind)).toEqual(["pods-held", "pods-freed"]);
  expect(looks).toBeLessThan(10 * many ** 2);
});

it("of a pod that a thousand budgets select, five are named", () => {
  const names = Array.from({ length: 1000 }, (_, at) => `budget-${at}`);
  const told: DrainEntry[] = [];
  const log = new BudgetLog(drained, { record: (entry) => told.push(entry) });

  log.tell(
    aSnapshot({ pods: [aPod()], budgets: names.map((name) => anExhaustedBudget({ name })) }),
  );

  expect(told).toMatchObject([
    {
      budget: "demo/budget-0, demo/budget-1, demo/budget-2, demo/budget-3, demo/budget-4, 995 more",
    },
  ]);
});

it("of a pod under several budgets, the numbers of the one that allows the fewest disruptions are logged", () => {
  const loose = aBudget({ name: "loose", disruptionsAllowed: 3 });
  const tight = aBudget({ name: "tight", disruptionsAllowed: 1 });
  for (const budgets of [
    [loose, tight],
    [tight, loose],
  ]) {
    const told: DrainEntry[] = [];
    new BudgetLog(drained, { record: (entry) => told.push(entry) }).tell(
      aSnapshot({ pods: [aPod()], budgets }),
    );
    expect(told).toMatchObject([{ kind: "pods-held", allowed: 1 }]);
  }
});
