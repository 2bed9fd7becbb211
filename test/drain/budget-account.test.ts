import { describe, expect, it } from "vitest";
import { type Instant, later, milliseconds, never, seconds } from "../../lambda/base/time.ts";
import { type BudgetAccount, budgetTitle, untouched } from "../../lambda/drain/budget.ts";
import {
  afterList,
  answered,
  claimed,
  isSettled,
  seen,
} from "../../lambda/drain/budget-account.ts";
import { budgetAllowance } from "../../lambda/drain/budget-allowance.ts";
import { podRequests } from "../../lambda/drain/pod-requests.ts";
import { aBudget, ahead, aLedger, aPod, aSnapshot, noon } from "../support/builders.ts";

const pod = aPod({ name: "web-1" });
const budget = aBudget({ disruptionsAllowed: 1 });
const asked = claimed(untouched, pod);
const accepted = answered(asked, { pod, answer: "accepted", now: noon });
const refused = answered(asked, { pod, answer: "blocked", now: noon });

const allowance = (account: BudgetAccount, now: Instant = noon) =>
  budgetAllowance([], {
    ledger: aLedger(),
    accounts: new Map([[budgetTitle(budget), account]]),
    now,
  });
const isLeft = (account: BudgetAccount, now?: Instant): boolean =>
  allowance(account, now).take(budget);
const sees = (account: BudgetAccount, change: Partial<typeof budget>, now: Instant = noon) =>
  seen(account, { budget: { ...budget, ...change }, now, chance: 0.5 });

describe("the account of a budget", () => {
  it("does not count a pod again whose answer comes after the status has shown it", () => {
    const shown = sees(asked, { disrupted: new Map([["web-1", noon]]) });
    expect(isLeft(answered(shown, { pod, answer: "accepted", now: noon }))).toBe(true);
  });

  it.each(["gone", "unclear", "failed"] as const)(
    "does not count a pod after the answer %s",
    (answer) => {
      expect(isLeft(answered(asked, { pod, answer, now: noon }))).toBe(true);
    },
  );

  it("counts an evicted pod for five seconds if the status never shows it, and no longer after a new list", () => {
    expect(isLeft(accepted, later(noon, milliseconds(4999)))).toBe(false);
    expect(isLeft(accepted, ahead(seconds(5)))).toBe(true);
    expect(isLeft(afterList(accepted))).toBe(true);
    expect(isLeft(afterList(asked))).toBe(false);
  });

  it("lets a drain look again when an evicted pod no longer counts", () => {
    const accounts = new Map([[budgetTitle(budget), accepted]]);
    const snapshot = aSnapshot({ pods: [aPod({ name: "web-2" })], budgets: [budget], accounts });
    expect(podRequests(snapshot)).toEqual({ requests: [], recheck: ahead(seconds(5)) });
    const there = { ...snapshot, now: ahead(seconds(5)) };
    expect(podRequests(there).requests).toHaveLength(1);
  });

  it("lets no more than five requests be under way at once", () => {
    const pods = [1, 2, 3, 4].map((index) => aPod({ name: `web-${index}` }));
    const four = pods.reduce(claimed, untouched);
    const large = aBudget({ disruptionsAllowed: 100 });
    const { take, from } = allowance(four);
    expect(from(large)).toBe(noon);
    take(large);
    expect(from(large)).toBe(never);
  });

  it("is over when nothing is under way and no other process was met for half a minute", () => {
    expect(isSettled(asked, noon)).toBe(false);
    expect(isSettled(refused, ahead(seconds(29)))).toBe(false);
    expect(isSettled(refused, ahead(seconds(30)))).toBe(true);
    expect(isSettled(accepted, later(noon, milliseconds(4999)))).toBe(false);
    expect(isSettled(accepted, ahead(seconds(5)))).toBe(true);
  });
});

describe("a budget that refused although its status allowed the eviction", () => {
  it("is used from a random moment after it allows disruptions again, which no further change moves", () => {
    const opening = sees(refused, {});
    expect(allowance(opening).from(budget)).toBe(ahead(milliseconds(250)));
    const again = sees(opening, {}, ahead(milliseconds(100)));
    expect(allowance(again).from(budget)).toBe(ahead(milliseconds(250)));
  });

  it("stays closed while it allows nothing, but no longer than other processes are believed to use it", () => {
    const spent = sees(refused, { disruptionsAllowed: 0 });
    expect(allowance(spent).from(budget)).toBe(ahead(seconds(30)));
    expect(allowance(spent, ahead(seconds(30))).from(budget)).toBe(ahead(seconds(30)));
  });

  it("is used at once when other processes were met long ago, or after a new list", () => {
    const now = ahead(seconds(30));
    expect(allowance(sees(refused, {}, now), now).from(budget)).toBe(now);
    expect(allowance(afterList(refused)).from(budget)).toBe(noon);
  });
});
