import { describe, expect, it } from "vitest";
import { later, milliseconds, never, seconds } from "../../lambda/base/time.ts";
import type { PodAttempt } from "../../lambda/drain/ledger.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import {
  aBudget,
  aDaemonPod,
  ago,
  ahead,
  aLedger,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  someSettings,
} from "../support/builders.ts";

const taint = { key: "example.com/draining", value: "", effect: "NoSchedule", timeAdded: "" };
const settings = someSettings({ daemonSets: "evict", taints: [taint] });
const agent = aDaemonPod({ name: "agent-1" });
const drained = { kind: "finish", outcome: "drained" };

/** The next step for a node that no pod holds, according to a list made after the mark has settled. */
const free = (change: Partial<Snapshot> = {}) =>
  nextStep(aSnapshot({ settings, listed: noon, pods: [agent], ...change }));

describe("a DaemonSet's pod, where the settings evict such pods,", () => {
  it("is not evicted before the mark has settled and the pods were listed after that", () => {
    const marked = ago(seconds(4));
    expect(free({ marked, listed: noon })).toMatchObject({ kind: "ask", requests: [] });
    expect(free({ listed: ago(seconds(56)) })).toEqual({ kind: "list" });
  });

  it("does not hold the node: once the API server has answered, the node is drained, whatever the answer", () => {
    const answers: readonly PodAttempt["answer"][] = [
      { kind: "accepted" },
      { kind: "blocked", message: "no", retryAfter: "unsaid" },
      { kind: "denied", message: "no" },
      { kind: "throttled", message: "later", retryAfter: seconds(1) },
    ];
    for (const answer of answers)
      expect(free({ ledger: aLedger([agent, { answer, notBefore: noon }]) })).toEqual(drained);
  });

  it("is evicted with the others, and the drain waits at most five seconds for the answers", () => {
    const other = aDaemonPod({ name: "agent-2" });
    const asked = ago(seconds(2));
    const out = aLedger([agent, { asked }]);
    expect(free({ pods: [agent, other], ledger: out })).toMatchObject({
      requests: [{ pod: other }],
      recheck: ahead(seconds(3)),
    });
    expect(free({ ledger: out })).toMatchObject({ requests: [], recheck: ahead(seconds(3)) });
    const almost = later(ago(seconds(5)), milliseconds(1));
    expect(free({ ledger: aLedger([agent, { asked: almost }]) })).toMatchObject({
      recheck: ahead(milliseconds(1)),
    });
    expect(free({ ledger: aLedger([agent, { asked: ago(seconds(5)) }]) })).toEqual(drained);
  });

  it("is looked at again by the deadline at the latest, and not evicted from then on", () => {
    const deadline = ahead(seconds(1));
    expect(free({ deadline })).toMatchObject({ recheck: deadline });
    expect(free({ deadline: noon })).toEqual(drained);
  });

  it("does not make the drain wait for answers about other pods", () => {
    const gone = aPod({ name: "gone" });
    const finished = aPod({ name: "finished", phase: "Succeeded" });
    const ledger = aLedger(
      [gone, {}],
      [finished, {}],
      [agent, { answer: { kind: "accepted" }, notBefore: never }],
    );
    expect(free({ pods: [agent, finished], ledger })).toEqual(drained);
  });

  it.each<[string, Partial<Pod>]>([
    ["that registers a CSI driver, through which volumes detach,", { csiNodePlugin: true }],
    ["that has been told to end", { termination: endingBy(ahead(seconds(9))) }],
    ["that has ended", { phase: "Succeeded" }],
    ["that is a mirror", { mirror: true }],
    ["that its owner wants skipped", { annotations: { "eks-node-lifecycle/drain": "skip" } }],
    ["that is protected", { annotations: { "karpenter.sh/do-not-disrupt": "true" } }],
    [
      "that tolerates the mark, so that its DaemonSet would put it back,",
      { tolerations: [{ key: "", operator: "Exists", value: "", effect: "" }] },
    ],
  ])("%s is left alone", (_, change) => {
    expect(free({ pods: [aDaemonPod(change)] })).toEqual(drained);
  });

  it.each([
    [
      "where the settings leave such pods, as they do by default",
      someSettings({ taints: [taint] }),
    ],
    ["where the deployment only cordons", { ...settings, mode: "cordon-only" } as const],
  ])("is not evicted %s", (_, others) => {
    expect(free({ settings: others })).toEqual(drained);
  });

  it("is not evicted where its budget allows no disruption", () => {
    const selector = { kind: "labels", requirements: [] } as const;
    const budget = aBudget({ namespace: "kube-system", selector, disruptionsAllowed: 0 });
    expect(free({ budgets: [budget] })).toEqual(drained);
    const giving = { ...budget, disruptionsAllowed: 1 };
    expect(free({ budgets: [giving] })).toMatchObject({ requests: [{ pod: agent }] });
  });

  it("is neither evicted nor waited for during a pause", () => {
    const ledger = { ...aLedger(), pausedUntil: ahead(milliseconds(1)) };
    expect(free({ ledger })).toEqual(drained);
    expect(free({ ledger: { ...ledger, pausedUntil: noon } })).toMatchObject({ kind: "ask" });
  });
});
