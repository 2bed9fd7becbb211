import { describe, expect, it } from "vitest";
import { budgetAllowance } from "../../lambda/drain/budget-allowance.ts";
import { aBudget, aLedger, noon, somePods } from "../support/builders.ts";

const pods = somePods(["web-1", "web-2", "web-3"]);
const [first] = pods;

describe("the budget allowance", () => {
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
});
