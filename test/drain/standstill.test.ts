import { describe, expect, it } from "vitest";
import { later, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { budgetTitle, untouched } from "../../lambda/drain/budget.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import { passEnd } from "../../lambda/drain/standstill.ts";
import {
  aBudget,
  ago,
  ahead,
  aLedger,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  someSettings,
} from "../support/builders.ts";

const old = ago(minutes(10));
const recent = ago(milliseconds(minutes(10) - 1));
const pod = aPod({ created: old });
const budget = anExhaustedBudget({ spent: old });
const ends = ahead(seconds(50));

const unclear = { kind: "unclear", message: "a fault", retryAfter: "unsaid" } as const;

const endOf = (change: Partial<Snapshot> = {}) =>
  passEnd(
    aSnapshot({
      marked: old,
      deadline: ahead(minutes(600)),
      pods: [pod],
      budgets: [budget],
      ...change,
    }),
    { began: noon, ends },
  );

describe("a pass with nothing to request", () => {
  it.each<[string, Partial<Snapshot>]>([
    ["the node was marked", { marked: recent }],
    ["a pod has come", { pods: [aPod({ created: recent })] }],
    ["a budget allowed a disruption", { budgets: [aBudget({ ...budget, spent: recent })] }],
    [
      "a pod was told to end",
      {
        pods: [
          aPod({
            created: old,
            grace: minutes(30),
            termination: endingBy(later(recent, minutes(30)), recent),
          }),
        ],
      },
    ],
    [
      "a pod was told to end with a shorter grace than its own",
      {
        pods: [
          aPod({
            created: old,
            grace: minutes(30),
            termination: endingBy(ahead(minutes(2)), ago(minutes(3))),
          }),
        ],
      },
    ],
    ["no pod holds the node", { pods: [] }],
    ["the deadline is near", { deadline: ends }],
    [
      "the deadline is near, though no pod is forced",
      { deadline: ends, settings: someSettings({ force: "never" }) },
    ],
  ])("watches to its end if, within the last ten minutes or at present, %s", (_, change) => {
    expect(endOf(change)).toBe(ends);
  });

  it("looks only briefly from the beginning where many such passes would keep other notices waiting", () => {
    const snapshot = aSnapshot({
      marked: noon,
      deadline: ahead(minutes(600)),
      pods: [aPod({ created: recent })],
      budgets: [aBudget({ ...budget, spent: recent })],
    });
    const pass = { began: noon, ends };
    expect(passEnd(snapshot, pass)).toBe(ends);
    expect(passEnd(snapshot, { ...pass, standstill: seconds(0) })).toBe(later(noon, seconds(3)));
  });

  it("watches to its end if a pod is forced until then", () => {
    const deadline = later(ends, seconds(30));
    expect(endOf({ deadline, pods: [{ ...pod, grace: seconds(31) }] })).toBe(ends);
    expect(endOf({ deadline, pods: [{ ...pod, grace: seconds(30) }] })).toBe(
      later(noon, seconds(3)),
    );
  });

  it("watches to its end as long as an overdue pod has not been told to end in time", () => {
    const deadline = ahead(minutes(5));
    const late = { ...pod, grace: minutes(6) };
    const ledger = aLedger([late, { asked: noon, answer: unclear, notBefore: ahead(seconds(8)) }]);
    expect(endOf({ deadline, ledger, pods: [late] })).toBe(ends);
    const settings = someSettings({ force: "never" });
    expect(endOf({ deadline, ledger, settings, pods: [late] })).toBe(later(noon, seconds(3)));
  });

  it("watches to its end while the API server throttles", () => {
    expect(endOf({ ledger: { ...aLedger(), pausedUntil: ahead(seconds(9)) } })).toBe(ends);
    expect(endOf({ ledger: { ...aLedger(), pausedUntil: noon } })).toBe(later(noon, seconds(3)));
  });

  it("watches to its end while its budget allows a disruption that other drains are about to use", () => {
    const open = aBudget({ spent: old });
    const use = { kind: "opening", until: ahead(milliseconds(400)) } as const;
    const accounts = new Map([[budgetTitle(open), { ...untouched, use }]]);
    expect(endOf({ budgets: [open], accounts })).toBe(ends);
    expect(endOf({ budgets: [{ ...open, disruptionsAllowed: 0 }], accounts })).toBe(
      later(noon, seconds(3)),
    );
    expect(endOf({ budgets: [{ ...open, observed: false }], accounts })).toBe(
      later(noon, seconds(3)),
    );
    const settings = someSettings({ mode: "cordon-only" });
    expect(endOf({ budgets: [open], accounts, settings })).toBe(later(noon, seconds(3)));
    const twice = [open, { ...open, name: "other" }];
    expect(endOf({ budgets: twice, accounts })).toBe(later(noon, seconds(3)));
  });

  it("is short though somebody has a thousand budgets select each of two hundred pods", () => {
    const pods = Array.from({ length: 200 }, (_, at) => aPod({ created: old, name: `web-${at}` }));
    const budgets = Array.from({ length: 1000 }, (_, at) => ({ ...budget, name: `b-${at}` }));

    expect(endOf({ pods, budgets })).toBe(later(noon, seconds(3)));
    expect(endOf({ pods, budgets: [...budgets, aBudget({ ...budget, spent: recent })] })).toBe(
      ends,
    );
  });
});
