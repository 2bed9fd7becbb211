import { describe, expect, it } from "vitest";
import { type Instant, never, seconds } from "../../lambda/base/time.ts";
import { type BudgetAccount, budgetTitle, untouched } from "../../lambda/drain/budget.ts";
import { budgetAllowance } from "../../lambda/drain/budget-allowance.ts";
import { aBudget, ago, ahead, aLedger, noon, somePods } from "../support/builders.ts";

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

const budget = aBudget();
const claimsOf = (count: number, kind: string, until: Instant) =>
  somePods(Array.from({ length: count }, (_, at) => `${kind}-${at}`)).map(
    ({ uid, name }) => [uid, { pod: name, until }] as const,
  );
const under = (account: Partial<BudgetAccount>) => {
  const accounts = new Map([[budgetTitle(budget), { ...untouched, ...account }]]);
  return budgetAllowance(pods, { ledger: aLedger(), accounts, now: noon });
};
const crowd = new Map(claimsOf(5, "awaited", never));
const answered = claimsOf(5, "accepted", ahead(seconds(5)));

describe("a budget is crowded", () => {
  it("by five evictions without an answer, and not by those that are accepted", () => {
    expect(under({ claims: crowd }).isCrowded(budget)).toBe(true);
    const fewer = new Map([...claimsOf(4, "awaited", never), ...answered]);
    expect(under({ claims: fewer }).isCrowded(budget)).toBe(false);
  });
});

describe("a budget that other processes use too", () => {
  it.each<[string, Partial<BudgetAccount>, Instant]>([
    ["is closed: then", { use: { kind: "closed", until: ahead(seconds(1)) } }, ahead(seconds(1))],
    ["was closed: now", { use: { kind: "closed", until: ago(seconds(1)) } }, noon],
    ["is open: now", {}, noon],
    [
      "was closed, and is crowded: not before that changes",
      { use: { kind: "opening", until: ago(seconds(1)) }, claims: crowd },
      never,
    ],
  ])("is asked again where it %s", (_, account, from) => {
    expect(under(account).from(budget)).toBe(from);
  });
});
