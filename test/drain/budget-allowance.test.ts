import { describe, expect, it } from "vitest";
import { budgetAllowance } from "../../lambda/drain/budget-allowance.ts";
import { aBudget, aLedger, anExhaustedBudget, noon, somePods } from "../builders.ts";

const pods = somePods(["web-1", "web-2", "web-3"]);
const [first] = pods;

describe("the budget allowance", () => {
  it("gives out as many disruptions as the budget allows, and then no more", () => {
    const budget = aBudget({ disruptionsAllowed: 2 });
    const allowance = budgetAllowance(pods, { ledger: aLedger(), accounts: new Map(), now: noon });
    expect([1, 2, 3, 4].map(() => allowance.take(budget))).toEqual([true, true, false, false]);
  });

  it("gives out no disruption of an exhausted budget", () => {
    expect(
      budgetAllowance(pods, { ledger: aLedger(), accounts: new Map(), now: noon }).take(
        anExhaustedBudget(),
      ),
    ).toBe(false);
  });

  it("counts each budget separately", () => {
    const allowance = budgetAllowance(pods, { ledger: aLedger(), accounts: new Map(), now: noon });
    const mine = aBudget({ disruptionsAllowed: 1 });
    const theirs = aBudget({ name: "other", disruptionsAllowed: 1 });
    expect([mine, theirs, mine, theirs].map((budget) => allowance.take(budget))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("starts lower by the requests that are under way for pods of the budget", () => {
    if (first === undefined) throw new Error("no pod");
    const ledger = aLedger([first, {}]);
    expect(budgetAllowance(pods, { ledger, accounts: new Map(), now: noon }).take(aBudget())).toBe(
      false,
    );
    expect(
      budgetAllowance(pods, { ledger, accounts: new Map(), now: noon }).take(
        aBudget({ namespace: "shop" }),
      ),
    ).toBe(true);
  });

  it("counts for one step only: the next step starts with a new one", () => {
    const budget = aBudget();
    expect(
      [1, 2].map(() =>
        budgetAllowance(pods, { ledger: aLedger(), accounts: new Map(), now: noon }).take(budget),
      ),
    ).toEqual([true, true]);
  });
});
