import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { heldByBudget, waitsItsTurn } from "../../lambda/drain/held-by-budget.ts";
import type { PodAttempt } from "../../lambda/drain/ledger.ts";
import { type Pod, podTitle } from "../../lambda/drain/pod.ts";
import {
  aBudget,
  ago,
  aLedger,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  someSettings,
} from "../support/builders.ts";

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

it.each<[string, PodAttempt["answer"], readonly string[]]>([
  ["has no answer yet", { kind: "pending" }, []],
  ["is accepted", { kind: "accepted" }, []],
  ["is refused by a webhook", { kind: "denied", message: "" }, []],
  [
    "is refused by its budget",
    { kind: "blocked", message: "", retryAfter: "unsaid" },
    ["demo/web-1"],
  ],
])("a pod whose eviction %s", (_, answer, held) => {
  const pod = aPod();
  const ledger = aLedger([pod, { answer }]);
  const snapshot = aSnapshot({ pods: [pod], budgets: [anExhaustedBudget()], ledger });
  expect(heldByBudget(snapshot).map((one) => podTitle(one.pod))).toEqual(held);
});

it("a pod that waits for one that is made elsewhere is held by its budget, whatever that has left", () => {
  const pod = aPod();
  const room = new Map([[pod.uid, { state: "awaited", words: "" } as const]]);
  const held = heldByBudget(aSnapshot({ pods: [pod], budgets: [aBudget()], room }));
  expect(held.map((one) => podTitle(one.pod))).toEqual(["demo/web-1"]);
});

it.each<[PodAttempt["answer"], number]>([
  [{ kind: "denied", message: "" }, 1],
  [{ kind: "throttled", message: "", retryAfter: "unsaid" }, 1],
  [{ kind: "accepted" }, 0],
  [{ kind: "pending" }, 0],
])(
  "a pod that waits for one that is made elsewhere is held by its budget unless it is about to go: its last eviction is %j",
  (answer, held) => {
    const pod = aPod();
    const room = new Map([[pod.uid, { state: "awaited", words: "" } as const]]);
    const ledger = aLedger([pod, { answer }]);
    const snapshot = aSnapshot({ pods: [pod], budgets: [aBudget()], ledger, room });
    expect(heldByBudget(snapshot)).toHaveLength(held);
  },
);

it("a pod that is to be deleted, for its namespace ends too, is held by no budget", () => {
  const pod = aPod();
  const terminatingNamespaces = new Map([[pod.namespace, ago(minutes(1))]]);
  const ending = {
    pods: [pod],
    budgets: [aBudget(), aBudget({ name: "second" })],
    ledger: { ...aLedger(), terminatingNamespaces },
  };
  const held = (force: DrainSettings["force"]) =>
    heldByBudget(aSnapshot({ ...ending, settings: someSettings({ force }) })).length;
  expect(held("never")).toBe(1);
  expect(held("at-deadline")).toBe(0);
});

it("no pod is held where the node is only cordoned, or where there is no budget", () => {
  const [pods, budgets] = [[aPod()], [anExhaustedBudget()]];
  const settings = someSettings({ mode: "cordon-only" });
  expect(heldByBudget(aSnapshot({ pods, budgets, settings }))).toEqual([]);
  expect(heldByBudget(aSnapshot({ pods }))).toEqual([]);
});

it.each<[string, readonly Budget[], boolean]>([
  ["allows a disruption", [aBudget()], true],
  ["allows none", [anExhaustedBudget()], false],
  ["is not up to date", [aBudget({ observed: false })], false],
  ["is not the only one", [aBudget(), aBudget({ name: "other" })], false],
  ["is not there", [], false],
])("whether a pod waits for other evictions only, where its budget %s", (_, budgets, waits) => {
  expect(waitsItsTurn({ budgets })).toBe(waits);
});
