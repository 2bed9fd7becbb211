import { expect, it } from "vitest";
import { BudgetLog } from "../../lambda/drain/budget-log.flow.ts";
import type { DrainEntry } from "../../lambda/drain/drain-entry.ts";
import { anExhaustedBudget, aPod, aSnapshot, drained } from "../support/builders.ts";

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
