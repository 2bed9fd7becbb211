import { describe, expect, it } from "vitest";
import type { Attempt } from "../../../lambda/domain/drain/ledger.ts";
import { nextStep } from "../../../lambda/domain/drain/next-step.ts";
import type { Snapshot } from "../../../lambda/domain/drain/snapshot.ts";
import type { Pod } from "../../../lambda/domain/pod/pod.ts";
import {
  instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../../lambda/domain/time.ts";
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
  ownedBy,
  someSettings,
} from "../../builders.ts";

const taint = { key: "example.com/draining", value: "", effect: "NoSchedule", timeAdded: "" };
const settings = someSettings({ daemonSets: "evict", taints: [taint] });
const agent = aDaemonPod({ name: "agent-1" });
const drained = { kind: "finish", outcome: "drained" };

/** A node that nothing holds any more, by a list of after the mark has settled. */
const free = (change: Partial<Snapshot> = {}) =>
  nextStep(aSnapshot({ settings, listed: noon, pods: [agent], ...change }));

describe("a DaemonSet's pod, where such are to be evicted", () => {
  it("is asked to go once nothing else holds the node", () => {
    expect(free()).toEqual({
      kind: "ask",
      requests: [{ verb: "evict", pod: agent, grace: "own", budgetVersion: "" }],
      recheck: ahead(seconds(5)),
    });
  });

  it("is not asked while anything else holds the node", () => {
    const leaving = aPod({ termination: endingBy(ahead(seconds(9))) });
    expect(free({ pods: [agent, leaving] })).toMatchObject({ kind: "ask", requests: [] });
  });

  it("is not asked before the mark has settled, nor before a list of after that", () => {
    const marked = ago(seconds(4));
    expect(free({ marked, listed: noon })).toMatchObject({ kind: "ask", requests: [] });
    expect(free({ listed: ago(seconds(56)) })).toEqual({ kind: "list" });
  });

  it("is not waited for: once the answer is there the node is drained, whatever it was", () => {
    const answers: readonly Attempt["answer"][] = [
      { kind: "accepted" },
      { kind: "blocked", message: "no", retryAfter: "unsaid" },
      { kind: "denied", message: "no" },
      { kind: "throttled", message: "later", retryAfter: seconds(1) },
    ];
    for (const answer of answers)
      expect(free({ ledger: aLedger([agent, { answer, notBefore: noon }]) })).toEqual(drained);
  });

  it("is asked with the others, and the answers are waited for, five seconds at most", () => {
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

  it("is looked at no later than the deadline, and not asked from then on", () => {
    const deadline = ahead(seconds(1));
    expect(free({ deadline })).toMatchObject({ recheck: deadline });
    expect(free({ deadline: noon })).toEqual(drained);
  });

  it("has no unanswered request of another pod waited for", () => {
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
    ["that registers a CSI driver: volumes detach through it", { csiNodePlugin: true }],
    ["that has been told to end", { termination: endingBy(ahead(seconds(9))) }],
    ["that has ended", { phase: "Succeeded" }],
    ["that is a mirror", { mirror: true }],
    ["that is to be left alone", { annotations: { "eks-node-lifecycle/drain": "skip" } }],
    ["that is protected", { annotations: { "karpenter.sh/do-not-disrupt": "true" } }],
    [
      "that tolerates the mark, for its DaemonSet would put it back",
      { tolerations: [{ key: "", operator: "Exists", value: "", effect: "" }] },
    ],
  ])("%s is left alone", (_, change) => {
    expect(free({ pods: [aDaemonPod(change)] })).toEqual(drained);
  });

  it("that only tolerates the cordon, as all of them do, is asked", () => {
    const key = "node.kubernetes.io/unschedulable";
    const tolerations = [{ key, operator: "Exists", value: "", effect: "NoSchedule" }];
    expect(free({ pods: [aDaemonPod({ tolerations })] })).toMatchObject({ requests: [{}] });
  });

  it.each([
    ["where they are left, as they are by default", someSettings({ taints: [taint] })],
    ["where the deployment only cordons", { ...settings, mode: "cordon-only" } as const],
  ])("is not asked %s", (_, others) => {
    expect(free({ settings: others })).toEqual(drained);
  });

  it("is not asked where its budget has nothing to give", () => {
    const selector = { kind: "labels", requirements: [] } as const;
    const budget = aBudget({ namespace: "kube-system", selector, disruptionsAllowed: 0 });
    expect(free({ budgets: [budget] })).toEqual(drained);
    const giving = { ...budget, disruptionsAllowed: 1 };
    expect(free({ budgets: [giving] })).toMatchObject({ requests: [{ pod: agent }] });
  });

  it("is not asked while the API server is to be left alone, nor waited for", () => {
    const ledger = { ...aLedger(), pausedUntil: ahead(milliseconds(1)) };
    expect(free({ ledger })).toEqual(drained);
    expect(free({ ledger: { ...ledger, pausedUntil: noon } })).toMatchObject({ kind: "ask" });
  });

  it("is asked when there is room for it", () => {
    const others = ["agent-2", "agent-3"].map((name) => aDaemonPod({ name }));
    const ledger = { ...aLedger(), room: 2 };
    expect(free({ pods: [agent, ...others], ledger })).toMatchObject({
      requests: [{ pod: agent }, { pod: others[0] }],
    });
  });

  it("is a pod like any other when its DaemonSet is gone, and so is one of another kind", () => {
    const pod = aDaemonPod({ controller: ownedBy("ReplicaSet") });
    expect(free({ pods: [pod], deadline: instant(noon + minutes(10)) })).toMatchObject({
      requests: [{ pod }],
    });
  });
});
