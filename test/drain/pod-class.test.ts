import { describe, expect, it } from "vitest";
import { type Duration, later, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import type { Taint } from "../../lambda/drain/node.ts";
import type { Pod, Toleration } from "../../lambda/drain/pod.ts";
import {
  holdsNode,
  isCritical,
  isReturned,
  isStuck,
  type PodClass,
  podClassOf,
  type Scene,
  staysWithNode,
  toleratesMark,
} from "../../lambda/drain/pod-class.ts";
import {
  aDaemonPod,
  ago,
  aNode,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  ownedBy,
  someSettings,
} from "../support/builders.ts";

const scene: Scene = aSnapshot();
const everything: Toleration = { key: "", operator: "Exists", value: "", effect: "" };
const unschedulable: Toleration = {
  key: "node.kubernetes.io/unschedulable",
  operator: "Exists",
  value: "",
  effect: "NoSchedule",
};
const ownTaint: Taint = {
  key: "example.com/draining",
  value: "true",
  effect: "NoSchedule",
  timeAdded: "",
};

const tolerateOwn: Toleration = { ...unschedulable, key: ownTaint.key };

const skip = { "eks-node-lifecycle/drain": "skip" };
const doNotDisrupt = { "karpenter.sh/do-not-disrupt": "true" };
const longAgo = endingBy(ago(minutes(2)));
const returned: Partial<Pod> = { tolerations: [everything], created: ago(seconds(30)) };

describe("a pod is of the class", () => {
  it.each<[PodClass, string, Partial<Pod>]>([
    ["mirror", "although it ended", { mirror: true, phase: "Succeeded" }],
    [
      "terminal",
      "although a DaemonSet owns it",
      { phase: "Failed", controller: ownedBy("DaemonSet") },
    ],
    [
      "daemonset",
      "although it has been told to end",
      { termination: longAgo, controller: ownedBy("DaemonSet") },
    ],
    [
      "daemonset",
      "although its owner wants it skipped",
      { annotations: skip, controller: ownedBy("DaemonSet") },
    ],
    ["skipped", "although it came back", { ...returned, annotations: skip }],
    ["returned", "although it has been told to end", { ...returned, termination: longAgo }],
    [
      "leaving",
      "although it is protected",
      { annotations: doNotDisrupt, termination: endingBy(noon) },
    ],
    ["terminal", "although it is protected", { annotations: doNotDisrupt, phase: "Succeeded" }],
    [
      "leaving",
      "although its containers have ended",
      { phase: "Succeeded", termination: endingBy(noon) },
    ],
    ["stuck", "although its containers have ended", { phase: "Failed", termination: longAgo }],
  ])("%s, the first that it fits, %s", (standing, _, change) => {
    expect(podClassOf(aPod(change), scene)).toBe(standing);
  });
});

it.each<[string, Partial<Pod>, "goes" | "stays"]>([
  ["of a static manifest", { mirror: true }, "stays"],
  ["of a DaemonSet", { controller: ownedBy("DaemonSet") }, "stays"],
  ["whose owner wants it skipped", { annotations: skip }, "stays"],
  ["that came back", returned, "stays"],
  ["that has ended", { phase: "Succeeded" }, "goes"],
  ["that is stuck", { termination: longAgo }, "goes"],
  ["that is told to end", { termination: endingBy(noon) }, "goes"],
  ["that is protected", { annotations: doNotDisrupt }, "goes"],
  ["that may be evicted", {}, "goes"],
])("of a pod %s the drain knows whether it goes or stays with its node", (_, change, fate) => {
  expect(staysWithNode(aPod(change), scene)).toBe(fate === "stays");
});

describe("a pod is critical", () => {
  it.each(["system-cluster-critical", "system-node-critical"])(
    "in priority class %s",
    (priorityClass) => {
      expect(isCritical(aPod({ priorityClass }))).toBe(true);
    },
  );
});

describe("a pod of a DaemonSet", () => {
  it("is evicted like any other pod when its DaemonSet is gone", () => {
    const orphaned = new Set(["kube-system/uid of the DaemonSet"]);
    expect(podClassOf(aDaemonPod(), { ...scene, orphaned })).toBe("evictable");
  });

  it("stays when only a DaemonSet of another namespace with that UID is gone", () => {
    const orphaned = new Set(["tenant/uid of the DaemonSet"]);
    expect(podClassOf(aDaemonPod(), { ...scene, orphaned })).toBe("daemonset");
  });
});

describe("a terminating pod", () => {
  const overdue = (by: Duration) => aPod({ termination: endingBy(later(noon, milliseconds(-by))) });
  const unreachable = { ...scene, node: aNode({ readiness: "unreachable" }) };
  const notReady = { ...scene, node: aNode({ readiness: "not-ready" }) };

  it.each([
    { by: seconds(60), where: "ready", on: scene, stuck: false },
    { by: milliseconds(60_001), where: "ready", on: scene, stuck: true },
    { by: seconds(60), where: "not ready by its own report", on: notReady, stuck: false },
    { by: milliseconds(60_001), where: "not ready by its own report", on: notReady, stuck: true },
    { by: seconds(1), where: "unreachable", on: unreachable, stuck: false },
    { by: milliseconds(1001), where: "unreachable", on: unreachable, stuck: true },
  ])(
    "that should have ended $by ms ago on a node that is $where: stuck is $stuck",
    ({ by, on, stuck }) => {
      expect(isStuck(overdue(by), on)).toBe(stuck);
      expect(holdsNode(overdue(by), on)).toBe(!stuck);
    },
  );
});

describe("a pod that tolerates the mark", () => {
  const tainted: Scene = { ...scene, settings: someSettings({ taints: [ownTaint] }) };

  it.each<{ what: string; tolerations: readonly Toleration[]; here: readonly boolean[] }>([
    { what: "everything", tolerations: [everything], here: [true, true] },
    { what: "the cordon", tolerations: [unschedulable], here: [true, false] },
    { what: "nothing", tolerations: [], here: [false, false] },
    {
      what: "the cordon by its empty value",
      tolerations: [{ ...unschedulable, operator: "Equal" }],
      here: [true, false],
    },
    { what: "our taint alone", tolerations: [tolerateOwn], here: [false, false] },
    { what: "cordon and taint", tolerations: [unschedulable, tolerateOwn], here: [true, true] },
    {
      what: "the cordon's taint with the effect NoExecute",
      tolerations: [{ ...unschedulable, effect: "NoExecute" }],
      here: [false, false],
    },
  ])(
    "may be one that tolerates $what: with the cordon alone, and with cordon and taint, $here",
    ({ tolerations, here }) => {
      const pod = aPod({ tolerations });
      expect([toleratesMark(pod, scene), toleratesMark(pod, tainted)]).toEqual(here);
    },
  );

  it("is evicted if it was there before the mark, because it has not come back", () => {
    const pod = aPod({ tolerations: [everything], created: scene.marked });
    expect(podClassOf(pod, scene)).toBe("evictable");
  });

  it("does not count as returned if it is bare, whenever it was created, because no controller brings it back", () => {
    const bare = aPod({ ...returned, controller: { kind: "none" } });
    expect(isReturned(bare, scene)).toBe(false);
  });
});
