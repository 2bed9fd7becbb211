import { describe, expect, it } from "vitest";
import type { PodUid } from "../../lambda/base/ids.ts";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import { holdReason, holdReasons, overruled } from "../../lambda/drain/hold-reason.ts";
import type { PodAttempt } from "../../lambda/drain/ledger.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import {
  aBudget,
  aCriticalPod,
  ago,
  ahead,
  aLedger,
  aNode,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  someSettings,
} from "../support/builders.ts";

const reason = (pod: Partial<Pod>, scene: Partial<Snapshot> = {}) =>
  holdReason(aPod(pod), aSnapshot({ pods: [aPod(pod)], ...scene }));
const everything = [{ key: "", operator: "Exists", value: "", effect: "" }];
const set = (settings: Partial<DrainSettings>) => ({ settings: someSettings(settings) });
const afterAnswer = (answer: PodAttempt["answer"], budgets: readonly Budget[] = []) =>
  reason({}, { ledger: aLedger([aPod(), { answer }]), budgets });

describe("the reason of a terminating pod", () => {
  it("says how long its grace lasts", () => {
    expect(reason({ termination: endingBy(ahead(seconds(20))) })).toBe(
      "ending, its grace lasts 20 s more",
    );
    expect(reason({ termination: endingBy(noon) })).toBe("ending, its grace lasts 0 s more");
  });

  it("says how long ago it should have ended, and which finalizers keep it", () => {
    const late = { termination: endingBy(ago(seconds(45))) };
    expect(reason(late)).toBe("should have ended 45 s ago");
    expect(reason({ ...late, finalizers: ["example.com/a", "example.com/b"] })).toBe(
      "should have ended 45 s ago, finalizers example.com/a, example.com/b",
    );
  });

  it("says since when it is stuck", () => {
    const stuck = { termination: endingBy(ago(minutes(5))), finalizers: ["example.com/a"] };
    expect(reason(stuck)).toBe(
      "stuck since 2026-11-20T11:55:00.000Z, no longer waited for, finalizers example.com/a",
    );
    const node = aNode({ readiness: "unreachable" });
    expect(reason({ termination: endingBy(ago(seconds(2))) }, { node })).toBe(
      "stuck since 2026-11-20T11:59:58.000Z, no longer waited for",
    );
  });
});

describe("the reason of a pod that is not requested", () => {
  it("names the annotation that protects it", () => {
    expect(reason({ annotations: { "karpenter.sh/do-not-disrupt": "4h" } })).toBe(
      "protected by its annotation karpenter.sh/do-not-disrupt: 4h",
    );
  });

  it("says that this deployment only cordons", () => {
    expect(reason({}, { ...set({ mode: "cordon-only" }), budgets: [anExhaustedBudget()] })).toBe(
      "not evicted, for this deployment only cordons",
    );
  });

  const dns = aCriticalPod();
  const tierReason = (others: readonly Pod[], settings: Partial<DrainSettings> = {}) =>
    holdReason(dns, aSnapshot({ pods: [dns, ...others], ...set(settings) }));

  it("says that it is critical, while ordinary pods hold the node", () => {
    expect(tierReason([aPod()])).toMatch(
      /^critical, so it leaves after the ordinary pods, or in \d+ min/,
    );
  });
});

it("says of a pod that came though the node is marked that the drain first looks at the mark", () => {
  const late = { seenSinceMark: new Set<PodUid>() };
  expect(reason({}, late)).toBe(
    "came though the node is marked, so it leaves once the mark is seen to stay",
  );
  expect(reason({ tolerations: everything }, late)).toBe("not evicted yet");
});

it("says of a pod that came to a node without a mark when it is evicted", () => {
  const late = {
    seenSinceMark: new Set<PodUid>(),
    mark: "missing",
    begun: ago(minutes(10)),
  } as const;
  expect(reason({ created: ago(minutes(1)) }, late)).toBe(
    "came because the node could not be marked, so it is evicted in 3 min 30 s",
  );
});

it("says of a pod that came past the scheduler when it is evicted", () => {
  const created = ago(minutes(1));
  expect(reason({ created }, { marked: ago(seconds(11 * 60 + 5)) })).toBe(
    "came past the scheduler, as its replacement would, so it is evicted in 1 min 30 s",
  );
});

describe("the reasons of very many pods", () => {
  it("are given of each namespace in turn, so that nobody's many pods hide those of others", () => {
    const theirs = Array.from({ length: 120 }, (_, at) =>
      aPod({ namespace: "a-tenant", name: `p-${at}` }),
    );
    const pods = [...theirs, aPod(), aPod({ name: "web-2" })];

    const reasons = holdReasons(pods, aSnapshot({ pods }));

    expect(reasons.slice(0, 5).map(({ about }) => about)).toEqual([
      "a-tenant/p-0",
      "demo/web-1",
      "a-tenant/p-1",
      "demo/web-2",
      "a-tenant/p-2",
    ]);
    expect(reasons.at(-1)).toEqual({ about: "", why: "and 22 more pods" });
  });

  it("are one hundred, and the number of the others", () => {
    const pods = Array.from({ length: 103 }, (_, number) => aPod({ name: `web-${number}` }));
    const reasons = holdReasons(pods, aSnapshot({ pods }));
    expect(reasons).toHaveLength(101);
    expect(reasons.at(-1)).toEqual({ about: "", why: "and 3 more pods" });
    expect(holdReasons(pods.slice(3), aSnapshot({ pods }))).toHaveLength(100);
  });

  it("are cut to a length that fits a log line", () => {
    const pod = aPod({ finalizers: ["x".repeat(1000)], termination: endingBy(ago(minutes(1))) });
    const [reason] = holdReasons([pod], aSnapshot({ pods: [pod] }));
    expect(reason?.about).toBe("demo/web-1");
    expect(reason?.why).toMatch(/^.{399}…$/);
  });
});

describe("the reason of a pod that its budget holds", () => {
  const held = (budget: Partial<Budget>, pod: Partial<Pod> = {}) =>
    reason(pod, { budgets: [anExhaustedBudget(budget)] });

  it("names no budget that would let it go", () => {
    const open = [aBudget({ disruptionsAllowed: 1 })];
    expect(reason({}, { budgets: open })).toBe("not evicted yet");
    expect(reason({}, { budgets: open, othersLease: noon })).toBe("not evicted yet");
    expect(reason({}, { budgets: open, othersLease: ahead(seconds(9)) })).toBe(
      "not evicted yet, because another process has the eviction lease until 2026-11-20T12:00:09.000Z",
    );
    expect(afterAnswer({ kind: "blocked", message: "no", retryAfter: "unsaid" }, open)).toMatch(
      /^held for .*, 1 disruption allowed$/,
    );
  });

  it("says that the budget's status is not up to date", () => {
    expect(held({ observed: false })).toBe(
      "held for 1 min by budget demo/web-pdb, whose status is not up to date yet",
    );
  });
});

describe("the reason of a pod whose grace is longer than half of its drain", () => {
  const begun = ago(minutes(5));
  const long = { grace: hours(168) };
  const why =
    "; deleted from 2026-11-20T12:02:30.000Z on, for its grace of 168 h is longer than half of the drain (15 min)";
  const scene = { begun, deadline: ahead(minutes(10)) };
  const held = { ...scene, budgets: [anExhaustedBudget()] };

  it("says from when on it is deleted, and why, whatever holds it", () => {
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    expect(reason(long, held)).toMatch(/^held for .*0 disruptions allowed; deleted from /);
    expect(reason(long, held).endsWith(why)).toBe(true);
    expect(reason({ ...long, annotations }, scene).endsWith(why)).toBe(true);
    const dns = aCriticalPod(long);
    expect(holdReason(dns, aSnapshot({ ...scene, pods: [dns, aPod()] })).endsWith(why)).toBe(true);
  });

  it.each([
    ["that nothing holds", long, scene],
    ["whose grace is as long as half of the drain", { grace: seconds(450) }, held],
    ["that force never takes", long, { ...held, ...set({ force: "never" }) }],
    ["of a deployment that only cordons", long, { ...held, ...set({ mode: "cordon-only" }) }],
    ["that leaves", { ...long, termination: endingBy(ahead(minutes(1))) }, held],
  ] as const)("says nothing about force of a pod %s", (_, pod, around) => {
    expect(reason(pod, around)).not.toContain("deleted from");
  });
});

describe("the reason of a pod that was requested", () => {
  const message = "no";
  const budgets = [anExhaustedBudget()];

  it.each<[PodAttempt["answer"], string]>([
    [{ kind: "pending" }, "the API server has not answered its eviction yet"],
    [{ kind: "accepted" }, "evicted, not gone yet"],
    [{ kind: "gone" }, "evicted, not gone yet"],
  ])("after %j is %s, whatever its budget says", (answer, told) => {
    expect(afterAnswer(answer)).toBe(`${told}`);
    expect(afterAnswer(answer, budgets)).toBe(`${told}`);
  });

  it.each<Eviction>([
    { kind: "conflict", message },
    { kind: "throttled", message, retryAfter: "unsaid" },
    { kind: "namespace-terminating", message },
    { kind: "denied", message },
    { kind: "unclear", message, retryAfter: "unsaid" },
  ])("after $kind is the server's own message, not the budget", (answer) => {
    expect(afterAnswer(answer, budgets)).toBe(`its eviction was refused (${answer.kind}): no`);
  });

  it("after a deletion that a policy has refused names that, and the budget that made it necessary", () => {
    const attempt = { verb: "delete", answer: { kind: "denied", message } } as const;
    const ledger = aLedger([aPod(), attempt]);
    expect(reason({}, { ledger, budgets })).toBe(
      "its deletion past budget demo/web-pdb (maxUnavailable 1) was refused (denied): no",
    );
    expect(reason({}, { ledger })).toBe("its deletion past nothing was refused (denied): no");
  });

  it("after a refusal by its budget names the budget, if it is known", () => {
    const blocked: Eviction = { kind: "blocked", message, retryAfter: "unsaid" };
    expect(afterAnswer(blocked, budgets)).toContain("by budget demo/web-pdb");
    expect(afterAnswer(blocked)).toBe("its eviction was refused (blocked): no");
  });

  it("after a refusal because of two budgets names both, if they are known", () => {
    const overlapping: Eviction = { kind: "overlapping-budgets", message };
    expect(afterAnswer(overlapping, [aBudget(), aBudget({ name: "other" })])).toContain(
      "2 budgets",
    );
    expect(afterAnswer(overlapping)).toContain("refused (overlapping-budgets): no");
  });
});

describe("what the deletion of a pod overrules", () => {
  const other = aBudget({ name: "other", unhealthyPods: "always-allow" });
  const past = (pod: Partial<Pod>, scene: Partial<Snapshot>) =>
    overruled(aPod(pod), aSnapshot({ pods: [aPod(pod)], ...scene }));

  it("is every budget of a pod that several select, though one would let it go", () => {
    const budgets = [anExhaustedBudget({ currentHealthy: 2 }), other];
    expect(past({ ready: false }, { budgets })).toBe(
      "budget demo/web-pdb (maxUnavailable 1), budget demo/other (maxUnavailable 1)",
    );
  });

  it("names five of a thousand budgets", () => {
    const budgets = Array.from({ length: 1000 }, (_, at) => anExhaustedBudget({ name: `b-${at}` }));
    expect(past({}, { budgets })).toMatch(/^budget demo\/b-0 .*budget demo\/b-4 .*, 995 more$/);
    expect(reason({}, { budgets }).length).toBeLessThan(300);
  });

  it("is a budget whose last disruption this pass has just given to another pod", () => {
    const first = aPod({ name: "web-2" });
    const scene = { pods: [first, aPod()], budgets: [aBudget()] };
    expect(past({}, scene)).toBe("");
    expect(past({}, { ...scene, ledger: aLedger([first, { verb: "delete" }]) })).toBe(
      "budget demo/web-pdb (maxUnavailable 1)",
    );
  });

  it("is no budget that has let the pod itself go", () => {
    const ledger = aLedger([aPod(), { answer: { kind: "accepted" }, budgetVersion: "7" }]);
    expect(past({}, { budgets: [aBudget()], ledger })).toBe("");
  });
});

it("names a pod whose granted eviction takes its budget, and until when", () => {
  const disrupted = new Map([
    ["web-9", ago(seconds(30))],
    ["web-8", ago(minutes(2))],
  ]);
  const snapshot = aSnapshot({ pods: [aPod()], budgets: [anExhaustedBudget({ disrupted })] });
  expect(holdReasons(snapshot.pods, snapshot)[0]?.why).toMatch(
    /; it has granted the eviction of web-9, and counts it until \S+ if the pod stays$/,
  );
});

describe("a pod whose budgets are not known", () => {
  const unread = new Map([["demo", "too many"]]);
  const blocked: Eviction = { kind: "blocked", message: "disrupted", retryAfter: "unsaid" };

  it("is held by the API server's word, which says so", () => {
    expect(reason({}, { unread, ledger: aLedger([aPod(), { answer: blocked }]) })).toBe(
      "its eviction was refused (blocked): disrupted; its budgets are not known (too many)",
    );
    expect(reason({}, { unread })).toBe("not evicted yet; its budgets are not known (too many)");
  });

  it("is deleted past them, unless the API server has let it go", () => {
    const past = (ledger = aLedger()) => overruled(aPod(), aSnapshot({ unread, ledger }));
    expect(past()).toBe("budgets that are not known");
    expect(past(aLedger([aPod(), { answer: { kind: "accepted" } }]))).toBe("");
    expect(overruled(aPod({ namespace: "shop" }), aSnapshot({ unread }))).toBe("");
  });
});
