import { describe, expect, it } from "vitest";
import { type Duration, later, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import {
  aDaemonPod,
  ago,
  ahead,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  someSettings,
} from "../builders.ts";

const step = (change: Partial<Snapshot>) => nextStep(aSnapshot(change));
const drained = { kind: "finish", outcome: "drained" };
const expired = { kind: "finish", outcome: "expired" };

describe("an empty node", () => {
  // Marked just long enough ago for the mark to have settled.
  const settled = { marked: ago(seconds(5)), listed: noon };

  it("is drained once the mark has settled and a later list shows no pod", () => {
    expect(step(settled)).toEqual(drained);
  });

  it("does not count as empty before the mark has settled, because a pod that was bound earlier may appear late", () => {
    const marked = later(settled.marked, milliseconds(1));
    expect(step({ ...settled, marked })).toEqual({
      kind: "ask",
      requests: [],
      recheck: ahead(milliseconds(1)),
    });
  });

  it("is listed once more if the last list is from before the mark had settled", () => {
    const marked = ago(minutes(1));
    const almost = later(marked, milliseconds(seconds(5) - 1));
    expect(step({ marked, listed: almost })).toEqual({ kind: "list" });
    expect(step({ marked, listed: later(almost, milliseconds(1)) })).toEqual(drained);
  });

  it("counts as empty at once where the settings leave no time to settle", () => {
    const settings = someSettings({ settle: seconds(0) });
    expect(step({ marked: noon, listed: noon, settings })).toEqual(drained);
  });

  it("is drained, not expired, at the deadline", () => {
    expect(step({ ...settled, deadline: noon })).toEqual(drained);
    expect(step({ ...settled, deadline: ago(minutes(5)) })).toEqual(drained);
  });

  it.each([ahead(seconds(2)), noon, ago(minutes(1))])(
    "waits for its mark to settle, before and after its deadline",
    (deadline) => {
      const recheck = ahead(seconds(5));
      expect(step({ marked: noon, listed: noon, deadline })).toEqual({
        kind: "ask",
        requests: [],
        recheck,
      });
    },
  );

  it.each<[string, Pod]>([
    ["a DaemonSet's pod", aDaemonPod()],
    ["a mirror pod", aPod({ mirror: true })],
    ["one that has ended", aPod({ phase: "Succeeded" })],
    [
      "one that its owner wants skipped",
      aPod({ annotations: { "eks-node-lifecycle/drain": "skip" } }),
    ],
    ["one that is stuck", aPod({ termination: endingBy(ago(minutes(2))) })],
  ])("may still have pods that hold nothing: %s", (_, pod) => {
    expect(step({ ...settled, pods: [pod] })).toEqual(drained);
  });
});

describe("a node with pods that hold it", () => {
  it("has them evicted, and has a time for the next look", () => {
    const pod = aPod();
    expect(step({ pods: [pod] })).toEqual({
      kind: "ask",
      requests: [{ verb: "evict", pod, grace: "own", budgetVersion: "" }],
      recheck: ahead(milliseconds(minutes(14) - 29_999)),
    });
  });

  it("does not wait for the mark to settle", () => {
    expect(step({ pods: [aPod()], marked: noon })).toMatchObject({ requests: [{ verb: "evict" }] });
  });

  it.each<[string, Partial<Pod>]>([
    ["terminating", { termination: endingBy(ahead(seconds(9))) }],
    ["held up by a budget", {}],
    ["protected", { annotations: { "karpenter.sh/do-not-disrupt": "true" } }],
  ])("is not drained while one of them is %s", (_, change) => {
    expect(step({ pods: [aPod(change)], budgets: [anExhaustedBudget()] })).toMatchObject({
      kind: "ask",
      requests: [],
    });
  });

  it("has expired at the deadline, not a millisecond before", () => {
    expect(step({ pods: [aPod()], deadline: noon })).toEqual(expired);
    expect(step({ pods: [aPod()], deadline: ago(minutes(5)) })).toEqual(expired);
    expect(step({ pods: [aPod()], deadline: ahead(milliseconds(1)) })).toMatchObject({
      kind: "ask",
    });
  });
});

describe("a node at the deadline whose last pods are terminating", () => {
  const late = (now: Duration, until: Duration) => ({
    deadline: ago(now),
    pods: [aPod({ termination: endingBy(later(ago(now), until)) })],
  });
  const none = milliseconds(0);

  it("gets four more seconds if they end in time, because they are not gone at once", () => {
    const look = ahead(seconds(4));
    expect(step(late(none, none))).toEqual({ kind: "ask", requests: [], recheck: look });
    expect(step(late(milliseconds(3999), none))).toMatchObject({ kind: "ask" });
    expect(step(late(seconds(4), none))).toEqual(expired);
  });

  it("gets these four seconds even if pods that hold nothing still run there", () => {
    const { deadline, pods } = late(none, none);
    expect(step({ deadline, pods: [...pods, aDaemonPod()] })).toMatchObject({ kind: "ask" });
  });

  it("has expired if one of them ends over two seconds later, or has not been told to end", () => {
    expect(step(late(none, milliseconds(2001)))).toEqual(expired);
    const { deadline, pods } = late(none, none);
    expect(step({ deadline, pods: [...pods, aPod()] })).toEqual(expired);
  });
});

describe("a node where a deployment only cordons", () => {
  const settings = someSettings({ mode: "cordon-only" });

  it("is not released with its pods on it: the drain waits for them until the deadline", () => {
    const pods = [aPod()];
    expect(step({ pods, settings })).toMatchObject({ kind: "ask", requests: [] });
    expect(step({ pods, settings, deadline: noon })).toEqual(expired);
  });

  it("is drained when its pods have gone by themselves", () => {
    expect(step({ settings })).toEqual(drained);
  });
});
