import { beforeEach, describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import {
  endingsIn,
  evictedIn,
  evictionsIn,
  outcomesIn,
  took,
  writesIn,
  writtenIn,
} from "../world/evidence.ts";
import { failing } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn, podsOn } from "../world/workloads.ts";
import { group, hook, instanceOf, nodeOf } from "../world/world-options.ts";

const here = nodeOf(1);

describe("a drain of a node with pods of all kinds", () => {
  let world: VirtualWorld;
  let present: readonly Pod[];

  beforeEach(async () => {
    world = new VirtualWorld({ nodes: 3 });
    deploy(world, {
      name: "coredns",
      namespace: "kube-system",
      spec: critical,
      on: { 1: 1, 2: 1 },
    });
    deploy(world, { name: "web", namespace: "demo", on: { 1: 2, 2: 1 } });
    world.cluster.addDaemonSet({
      name: "aws-node",
      namespace: "kube-system",
      spec: { priorityClassName: "system-node-critical" },
      pods: [1, 2, 3].map((node) => ({ name: `aws-node-${node}`, node: nodeOf(node) })),
    });
    world.cluster.addPod({
      name: "static",
      namespace: "kube-system",
      node: here,
      annotations: { "kubernetes.io/config.mirror": "0a1b" },
    });
    world.cluster.addPod({ name: "job", node: here, status: { phase: "Succeeded" } });
    world.cluster.addPod({ name: "crashed", node: here, status: { phase: "Failed" } });
    world.cluster.addPod({ name: "bare", node: here });
    present = podsOn(world, 1);
    await world.drain();
  });

  it("marks the node first: label and cordon in one patch", () => {
    const [first, ...others] = writesIn(world);
    expect(first).toMatchObject({
      what: `patch nodes ${here} 200`,
      body: {
        metadata: { labels: { [exclusionLabel]: "eks-node-lifecycle" } },
        spec: { unschedulable: true },
      },
    });
    expect(others.filter(({ what }) => what.startsWith("patch"))).toEqual([]);
  });

  it("evicts ordinary pods, then critical ones, and leaves DaemonSet, mirror and ended pods alone", () => {
    const [, ...others] = writtenIn(world);
    expect(others).toEqual([
      "create pods/eviction bare 201",
      "create pods/eviction web-1 201",
      "create pods/eviction web-2 201",
      "create pods/eviction coredns-1 201",
    ]);
    expect(namesOn(world, 1)).toEqual(["crashed", "job", "aws-node-1", "static"]);
  });

  it("evicts a critical pod only when the last ordinary one is gone", () => {
    const asked = writesIn(world).find(({ what }) => /coredns/.test(what));
    const gone = world.departures.filter(({ name }) => /^(bare|web-[12])$/.test(name));
    expect(gone).toHaveLength(3);
    for (const { at } of gone) expect(asked?.at).toBeGreaterThanOrEqual(at);
  });

  it("names the UID of the pod it means in every eviction", () => {
    const evictions = writesIn(world).filter(({ what }) => /eviction/.test(what));
    const uids = new Map(present.map(({ metadata: { name, uid } }) => [name, uid]));
    expect(evictions).toHaveLength(4);
    for (const { body } of evictions)
      expect(body).toMatchObject({
        deleteOptions: {
          preconditions: { uid: uids.get((body as Pod).metadata.name) },
        },
      });
  });

  it("completes the hook with CONTINUE and its token, once, after the last pod is gone", () => {
    const [action] = world.aws.autoScaling.actions();
    const completions = world.aws.calls.of("CompleteLifecycleAction");
    expect(completions.map(({ parameters }) => parameters)).toEqual([
      {
        AutoScalingGroupName: group,
        LifecycleHookName: hook,
        LifecycleActionToken: action?.token,
        LifecycleActionResult: "CONTINUE",
        InstanceId: instanceOf(1),
      },
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    const lastGone = Math.max(...world.departures.map(({ at }) => at));
    expect(completions[0]?.at).toBeGreaterThanOrEqual(lastGone);
  });

  it("says how it ended, and acknowledges the notice", () => {
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(world.told("fault")).toEqual([]);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });
});

describe("a drain of a node with pods of DaemonSets", () => {
  const ownedBy = (name: string, uid: string, apiVersion = "apps/v1") => [
    { apiVersion, kind: "DaemonSet", name, uid, controller: true },
  ];

  function aWorld(): VirtualWorld {
    const world = new VirtualWorld();
    world.cluster.addDaemonSet({ name: "agent", pods: [{ name: "agent-1", node: here }] });
    const ownerReferences = ownedBy("gone", "0a1b");
    world.cluster.addPod({ name: "orphan", node: here, ownerReferences });
    return world;
  }

  it("evicts those whose DaemonSet is gone, because nobody puts them back", async () => {
    const world = aWorld();
    await world.drain();
    expect(namesOn(world, 1)).toEqual(["agent-1"]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("leaves those alone whose UID a pod of another namespace gives for a DaemonSet that is gone", async () => {
    const world = new VirtualWorld();
    const { metadata } = world.cluster.addDaemonSet({
      name: "agent",
      pods: [{ name: "agent-1", node: here }],
    });
    const ownerReferences = ownedBy("gone", metadata.uid);
    const tenants = { name: "untrue", namespace: "tenant", node: here, ownerReferences };
    world.cluster.addPod({ ...tenants, finalizers: ["example.com/stays"] });
    await world.drain();
    expect(evictedIn(world)).toHaveLength(1);
    expect(namesOn(world, 1)).toContain("agent-1");
  });

  it("leaves those alone whose DaemonSet belongs to an API group that the function cannot read", async () => {
    const world = new VirtualWorld();
    const ownerReferences = ownedBy("advanced", "0a1b", "apps.kruise.io/v1alpha1");
    world.cluster.addPod({ name: "foreign", node: here, ownerReferences });
    await world.drain();
    expect(namesOn(world, 1)).toEqual(["foreign"]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("leaves them all alone while the API server does not say which DaemonSets exist", async () => {
    const world = aWorld();
    world.faults = failing(/^get daemonsets/, refusal(500, "InternalError"));
    await world.drain();
    expect(namesOn(world, 1)).toEqual(["agent-1", "orphan"]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    const warnings = [
      "the API server does not say whether this DaemonSet is still there: its pods are left alone",
    ];
    expect(world.told("warning")).toMatchObject([
      { about: "default/agent", warnings },
      { about: "default/gone", warnings },
    ]);
  });
});

describe("a drain that evicts the pods of DaemonSets as well", () => {
  const settings = {
    DRAIN_TAINT: "example.com/draining=true:NoSchedule",
    DRAIN_DAEMONSETS: "evict",
  };
  const slow = {
    annotations: { "hollow/term-seconds": "20" },
    spec: { terminationGracePeriodSeconds: 60 },
  };
  const registry = { hostPath: { path: "/var/lib/kubelet/plugins_registry/" } };

  function aWorld(): VirtualWorld {
    const world = new VirtualWorld({ settings });
    const daemon = (name: string, more: object = {}) =>
      world.cluster.addDaemonSet({ name, pods: [{ name: `${name}-1`, node: here }], ...more });
    daemon("agent", slow);
    daemon("csi", { spec: { volumes: [{ name: "registry", ...registry }] } });
    daemon("proxy", { spec: { tolerations: [{ operator: "Exists" }] } });
    deploy(world, { name: "web", ...slow, on: { 1: 1 } });
    deploy(world, { name: "coredns", spec: critical, on: { 1: 1 } });
    return world;
  }

  it("evicts them when all others have gone, and does not wait for them", async () => {
    const world = aWorld();
    await world.drain();
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(
      ["web-1", "coredns-1", "agent-1"].map((name) => `create pods/eviction ${name} 201`),
    );
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    // 20 s for web, then 20 s for coredns; the drain does not wait for the 20 s of the agent.
    expect(took(world)).toBeLessThan(seconds(40));
    expect(namesOn(world, 1)).toEqual(["agent-1", "csi-1", "proxy-1"]);
    world.pass(seconds(60));
    expect(namesOn(world, 1)).toEqual(["csi-1", "proxy-1"]);
  });

  it("ends although their eviction is refused or never answered", async () => {
    for (const fault of [
      refusal(500, "InternalError"),
      refusal(403, "Forbidden"),
      "hang",
    ] as const) {
      const world = aWorld();
      world.faults = failing(/^create pods\/eviction agent-1/, fault);
      await world.drain();
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(world.told("notice-done")).toMatchObject([{ outcome: { kind: "drained" } }]);
      expect(took(world)).toBeLessThan(seconds(45));
    }
  });
});

describe("a drain with a limit for parallel evictions", () => {
  it("never has more evictions under way than the limit", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_CONCURRENCY: "3" } });
    deploy(world, { name: "web", on: { 1: 10 } });
    world.faults = failing(/^create pods\/eviction/, { slow: seconds(2) });
    await world.drain();
    const asked = world.requests.filter(({ what }) => what.startsWith("create pods/eviction"));
    const start = asked[0]?.at ?? 0;
    expect(asked.map(({ at }) => (at - start) / 1000)).toEqual([0, 0, 0, 2, 2, 2, 4, 4, 4, 6]);
  });
});

function aCrowdedWorld(count: number): VirtualWorld {
  const world = new VirtualWorld({ settings: { DRAIN_CONCURRENCY: "100" } });
  for (let index = 1; index <= count; index += 1)
    world.cluster.addPod({ name: `pod-${index}`, node: nodeOf(1) });
  return world;
}

describe("a drain of a node with more pods than a page has", () => {
  it("lists them page by page, and evicts each once", { timeout: 300_000 }, async () => {
    const world = aCrowdedWorld(501);
    await world.drain();
    expect(new Set(evictedIn(world)).size).toBe(501);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(world.requests.filter(({ what }) => what === "list pods")).toHaveLength(3);
    expect(took(world)).toBe(seconds(5));
  });
});
