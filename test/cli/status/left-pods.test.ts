import { describe, expect, it } from "vitest";
import { leftPods, type NodeScene } from "../../../cli/status/left-pods.ts";
import type { Refusal } from "../../../cli/status/under-way.ts";
import {
  hours,
  type Instant,
  minutes,
  never,
  seconds,
  timestamp,
} from "../../../lambda/base/time.ts";
import { causeAnnotations } from "../../../lambda/drain/cause.ts";
import { lateSinceAnnotation, markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import { podTitle } from "../../../lambda/drain/pod.ts";
import {
  aCriticalPod,
  aDaemonPod,
  ago,
  ahead,
  aNode,
  anExhaustedBudget,
  aPod,
  endingBy,
  noon,
  someSettings,
} from "../../support/builders.ts";

const mark = (deadline = ahead(minutes(20))) => ({
  [markedAtAnnotation]: timestamp(ago(minutes(10))),
  ...causeAnnotations({ reason: "terminating", deadline }),
});
const late = (since: Instant) => ({ ...mark(), [lateSinceAnnotation]: timestamp(since) });
/** A node that was at risk for ten minutes, and whose instance ends in a while. */
const spot = () => ({
  ...mark(),
  ...causeAnnotations({ reason: "interrupted", deadline: ahead(seconds(90)) }),
});
const stop = () => ({
  ...mark(),
  ...causeAnnotations({ reason: "stopping", deadline: ahead(seconds(50)) }),
});
const marked = (annotations: Readonly<Record<string, string | null>>) =>
  aNode({ annotations: annotations as Record<string, string> });

const left = (scene: Partial<NodeScene>) =>
  leftPods({
    node: marked(mark()),
    pods: [],
    budgets: [],
    orphaned: new Set(),
    settings: someSettings(),
    now: noon,
    refusals: new Map(),
    ...scene,
  });

const refusal = (at: Instant, why = "denied"): Refusal => ({
  kind: "pod-refused",
  verb: "evict",
  past: "",
  pod: podTitle(web()),
  why,
  at,
  message: "a webhook says no",
});
const refusals = (...all: readonly Refusal[]) => new Map(all.map((one) => [one.pod, one]));
const web = () => aPod({ name: "web", created: ago(minutes(30)) });

describe("a pod whose eviction the function's log has as refused", () => {
  it.each(["denied", "invalid", "conflict", "throttled", "unclear", "namespace-terminating"])(
    "is left with that answer: %s",
    (why) => {
      const [pod] = left({ pods: [web()], refusals: refusals(refusal(ago(seconds(20)), why)) });

      expect(pod?.reason).toBe(`its eviction was refused (${why}): a webhook says no`);
    },
  );

  it("is left with its deletion, and what that went past, where the deletion was refused", () => {
    const deletion = { ...refusal(ago(seconds(20))), verb: "delete", past: "a budget" } as const;
    const scene = { pods: [web()], refusals: refusals(deletion) };

    expect(left({ ...scene, budgets: [anExhaustedBudget()] })[0]?.reason).toMatch(
      /^its deletion past budget demo\/\S+ \(.+\) was refused \(denied\): a webhook says no$/,
    );
  });

  it("is left with its budget, which is read, where the budget refused", () => {
    const [pod] = left({ pods: [web()], refusals: refusals(refusal(ago(seconds(20)), "blocked")) });

    expect(pod?.reason).toBe("not evicted yet");
  });

  it("is not taken for a younger pod of its name", () => {
    const [pod] = left({ pods: [web()], refusals: refusals(refusal(ago(minutes(31)))) });

    expect(pod?.reason).toBe("not evicted yet");
  });
});

describe("the pods that are left on a node", () => {
  it("have no pods among them that the drain does not wait for", () => {
    expect(
      left({ pods: [aDaemonPod(), aPod({ mirror: true }), aPod({ phase: "Succeeded" })] }),
    ).toEqual([]);
  });

  it("have stuck pods among them, although the drain no longer waits for these", () => {
    const termination = endingBy(ago(minutes(5)));
    const stuck = aPod({ termination, finalizers: ["example.com/backup"] });

    expect(left({ pods: [stuck] })).toMatchObject([
      {
        class: "stuck",
        reason: expect.stringMatching(/^stuck since /),
        finalizers: ["example.com/backup"],
      },
    ]);
  });

  it("count the time of a budget from the mark", () => {
    const budget = anExhaustedBudget({ spent: ago(minutes(30)) });

    expect(left({ pods: [aPod({ created: ago(minutes(60)) })], budgets: [budget] })).toMatchObject([
      { reason: expect.stringMatching(/^held for 10 min by budget /), budgets: [{ allowed: 0 }] },
    ]);
  });

  it.each([
    ["deleted past its budget once its grace no longer fits", "at-deadline", 1170],
    ["never deleted past its budget where nothing is forced", "never", null],
  ] as const)("tell that a pod is %s", (_, force, deletedInSeconds) => {
    const settings = someSettings({ force });
    const pods = [aPod({ grace: seconds(30) })];

    expect(left({ pods, settings, budgets: [anExhaustedBudget()] })).toMatchObject([
      { deletedInSeconds },
    ]);
    expect(left({ pods, settings })).toMatchObject([{ deletedInSeconds: null }]);
  });

  it.each([
    ["half of the drain, by its mark", mark(), 300],
    ["half of the drain, anew where it began late", late(ago(minutes(2))), 540],
    ["half of a Spot interruption, though its node was marked long before", spot(), 37],
    ["forty of the sixty seconds of a stop", stop(), 30],
  ] as const)(
    "say that a pod with a long grace keeps its budget for %s",
    (_, annotations, deletedInSeconds) => {
      const pods = [aPod({ grace: hours(168) })];
      const scene = { node: marked(annotations), pods, budgets: [anExhaustedBudget()] };

      expect(left(scene)).toMatchObject([
        { deletedInSeconds, reason: expect.stringContaining("; deleted from ") },
      ]);
    },
  );

  it("name no budgets of a pod that ends already", () => {
    const pods = [aPod({ termination: endingBy(ahead(minutes(1))) })];

    expect(left({ pods, budgets: [anExhaustedBudget()] })).toMatchObject([{ budgets: [] }]);
  });

  it("count their tiers by the deadline that the mark tells", () => {
    const settings = someSettings({ timeout: minutes(15), tierPercent: 75 });
    const pods = [aPod({ name: "ordinary" }), aCriticalPod()];

    const [, critical] = left({ pods, settings });

    expect(critical?.reason).toContain("in 12 min 30 s");
  });
});

describe("a pod on a node whose drain has no deadline yet", () => {
  it.each([
    ["no mark", {}],
    ["the mark of a peer's drain", mark(never)],
  ])("is left without any time: %s", (_, annotations) => {
    const pods = [web(), aCriticalPod({ name: "dns" })];

    const all = left({ node: marked(annotations), pods, budgets: [anExhaustedBudget()] });

    expect(all.map(({ deletedInSeconds }) => deletedInSeconds)).toEqual([null, null]);
    expect(all.map(({ reason }) => reason)).toContain(
      "critical, so it leaves after the ordinary pods",
    );
  });
});
