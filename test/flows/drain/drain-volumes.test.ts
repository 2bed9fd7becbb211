import { describe, expect, it } from "vitest";
import { emptiedAtAnnotation } from "../../../lambda/domain/node/marking.ts";
import { later, minutes, never, seconds } from "../../../lambda/domain/time.ts";
import { cleanUp } from "../../../sandbox/cluster/controllers/pod-lifecycle.ts";
import { volumeAttachments } from "../../../sandbox/cluster/volume-resources.ts";
import { changeNode, deleteAttachment, deletePod, nodeNow } from "../../world/change.ts";
import { endingsIn, evictionsIn, took } from "../../world/evidence.ts";
import { well } from "../../world/fault-plan.ts";
import { refusal } from "../../world/refusal.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy, namesOn, runWithVolume } from "../../world/workloads.ts";
import { nodeOf } from "../../world/world-options.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = [{ kind: "drained", attached: [], stuck: [] }];
const aDay = minutes(24 * 60);

async function drain(world: VirtualWorld): Promise<void> {
  world.terminate(1);
  await world.work();
}

describe("the volume of a drained pod", () => {
  it.each([0, 8, 31.5])("is waited for until it is detached, %d s after the pod", async (wait) => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(wait) });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(Math.max(seconds(5), seconds(1 + wait) + cleanUp));
  });

  it("that is never detached is waited for three minutes, over several passes, and named", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await drain(world);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(world.told("pass-started").length).toBeGreaterThanOrEqual(3);
    expect(took(world)).toBe(seconds(5 + 180));
  });

  it("is waited for no longer when the function dies on the way", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    world.in(seconds(20), () => {
      world.faults = () => {
        world.faults = () => well;
        return { kind: "death", moment: "before" };
      };
    });
    await drain(world);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(5 + 180));
    expect(took(world)).toBeLessThanOrEqual(seconds(5 + 180 + 10));
  });

  it("is waited for on its own clock, whatever the drain's says", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(170) });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(171) + cleanUp);
  });

  it("is waited for no longer than the hook can be held", async () => {
    const settings = { DRAIN_VOLUME_TIMEOUT_SECONDS: "3600" };
    const world = new VirtualWorld({ settings, heartbeat: seconds(30) });
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await drain(world);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(3000 - 15));
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("is waited for though its pod has left in an earlier pass than the last one", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
    const spec = { terminationGracePeriodSeconds: 90 };
    deploy(world, {
      name: "slow",
      annotations: { "hollow/term-seconds": "70" },
      spec,
      on: { 1: 1 },
    });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(world.told("pass-started").length).toBeGreaterThan(1);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(101));
  });

  it("is waited for though its pod has left before anybody looked", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    deletePod(world, "data");
    world.pass(seconds(3));
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBeGreaterThan(seconds(15));
  });

  it("is waited for though its pod left before anybody looked, and others did not", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    deletePod(world, "data");
    world.pass(seconds(3));
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(world.told("volumes-awaited")).toMatchObject([{ volumes: ["pv-data"] }]);
    expect(took(world)).toBeGreaterThan(seconds(15));
  });

  it("is waited for though its pod has ended by itself", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    const spec = { restartPolicy: "Never" };
    runWithVolume(world, {
      name: "job",
      node: 1,
      detaching: aDay,
      spec,
      annotations: { "hollow/exit.main": "2" },
    });
    world.pass(seconds(10));
    await drain(world);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-job"], stuck: [] }]);
  });

  it("is waited for three minutes though others write the node at the same time", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    let writers = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("patch nodes") || world.told("pod-gone").length === 0 || writers >= 3)
        return well;
      writers += 1;
      const annotations = { busy: String(writers) };
      changeNode(world, 1, ({ metadata, ...node }) => ({
        ...node,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      }));
      return well;
    };
    await drain(world);
    expect(writers).toBe(3);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(5 + 180));
    expect(nodeNow(world, 1).metadata.annotations).toHaveProperty([emptiedAtAnnotation]);
  });

  it("is not waited for by passes that cannot know how long it has been waited for", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    const fault = refusal(409, "the object has been modified");
    world.faults = ({ what }) =>
      what.startsWith("patch nodes") && world.told("pod-gone").length > 0
        ? { kind: "cluster-fault", fault, moment: "before" }
        : well;
    await drain(world);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(50));
  });

  it("is waited for though its pod left before somebody made the node be marked anew", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(60) });
    deploy(world, { name: "slow", annotations: { "hollow/term-seconds": "29" }, on: { 1: 1 } });
    world.in(seconds(10), () =>
      changeNode(world, 1, (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } })),
    );
    await drain(world);
    expect(world.told("node-marked")).toHaveLength(2);
    expect(world.told("volumes-awaited")).toHaveLength(1);
    expect(took(world)).toBeGreaterThan(seconds(61));
  });

  it("leaves time for pods to come: they are evicted at once, before the node is called drained", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(40) });
    world.in(seconds(10), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    await drain(world);
    expect(evictionsIn(world).map(({ what }) => what)).toEqual([
      "create pods/eviction data 201",
      "create pods/eviction late 201",
    ]);
    const [first, late] = evictionsIn(world).map(({ at }) => at);
    expect(late).toBe(later(first ?? never, seconds(10)));
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomes(world)).toEqual(drained);
  });

  it.each([60, 75, 90, 105, 120])(
    "is waited for without long rests between passes: %d s",
    async (detaching) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(detaching) });
      await drain(world);
      expect(outcomes(world)).toEqual(drained);
      expect(took(world)).toBeLessThanOrEqual(seconds(detaching + 1 + 6) + cleanUp);
    },
  );

  it("is waited for though nobody could tell of it for a while", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(40) });
    let refused = 0;
    world.faults = ({ what }) => {
      if (!/ volumeattachments/.test(what) || refused >= 2) return well;
      refused += 1;
      return { kind: "cluster-fault", fault: refusal(403, "not yet"), moment: "before" };
    };
    await drain(world);
    expect(world.told("fault")).toHaveLength(1);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(41));
  });

  it("is waited for though its pod left in an earlier pass, and nothing tells of a storage driver", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
    const spec = { terminationGracePeriodSeconds: 90 };
    const annotations = { "hollow/term-seconds": "70" };
    deploy(world, { name: "slow", annotations, spec, on: { 1: 1 } });
    changeNode(world, 1, ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, annotations: {} },
    }));
    await drain(world);
    expect(world.told("pass-started").length).toBeGreaterThan(1);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(101));
  });

  it("is waited for beside the watch of the pods, which nobody starts anew", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    await drain(world);
    const reads = world.requests.filter(({ what }) => /^(list|watch) (pods|volume)/.test(what));
    expect(reads.map(({ what }) => what)).toEqual([
      "list pods",
      "watch pods",
      "list pods", // once the mark has settled
      "watch volumeattachments",
    ]);
  });

  it("ends the wait with the node: one that goes in the middle takes the rest with it", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    world.in(seconds(12), () => world.cluster.removeNode(nodeOf(1)));
    await drain(world);
    expect(outcomes(world)).toEqual([{ kind: "no-node" }]);
    expect(took(world)).toBeLessThanOrEqual(seconds(12 + 20));
  });

  it("is waited for on a node that somebody opens, once that is marked anew", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(40) });
    world.in(seconds(10), () =>
      changeNode(world, 1, (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } })),
    );
    await drain(world);
    expect(world.told("node-marked").length).toBe(2);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(41) + cleanUp);
  });

  it("is not waited for where that is switched off", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_VOLUME_TIMEOUT_SECONDS: "0" } });
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(5));
    expect(world.requests.filter(({ what }) => /volumeattachments/.test(what))).toEqual([]);
  });

  it("is detached once nothing but a finalizer keeps its attachment", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    world.in(seconds(30), () => deleteAttachment(world, "csi-data"));
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(30));
  });
});

describe("the volume of a drained pod, where others have not gone by the deadline,", () => {
  const settings = { DRAIN_TIMEOUT_SECONDS: "60", DRAIN_FORCE: "never" };
  const left = [expect.stringMatching(/^default\/web-1: held for .* by budget default\/web/)];

  function aBlockedWorld(): VirtualWorld {
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    return world;
  }

  it("is waited for until it is detached", async () => {
    const world = aBlockedWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
    await drain(world);
    expect(outcomes(world)).toMatchObject([{ kind: "expired", left }]);
    expect(took(world)).toBe(seconds(101) + cleanUp);
    expect(evictionsIn(world).filter(({ what }) => / data /.test(what))).toHaveLength(1);
  });

  it("is waited for three minutes from then at most, over several passes, and named", async () => {
    const world = aBlockedWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await drain(world);
    expect(outcomes(world)).toMatchObject([
      { kind: "expired", left: [...left, "volume pv-data: still attached"] },
    ]);
    expect(took(world)).toBe(seconds(60 + 180));
  });

  it("is waited for, and those of the others are not", async () => {
    const world = new VirtualWorld({ settings });
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    runWithVolume(world, { name: "held", node: 1, detaching: aDay, annotations });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(80) });
    await drain(world);
    expect(outcomes(world)).toMatchObject([{ kind: "expired", left: [expect.any(String)] }]);
    expect(took(world)).toBe(seconds(81) + cleanUp);
  });

  it("is not waited for where nobody knows of volumes: the pods are told of all the same", async () => {
    const world = aBlockedWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    const fault = refusal(403, "volumeattachments is forbidden");
    world.faults = ({ what }) =>
      /volumeattachments/.test(what) ? { kind: "cluster-fault", fault, moment: "before" } : well;
    await drain(world);
    expect(outcomes(world)).toMatchObject([{ kind: "expired", left }]);
    expect(took(world)).toBe(seconds(60));
  });
});

it("a pod that comes after the deadline does not end the wait for the volumes of those before", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
  runWithVolume(world, { name: "data", node: 1, detaching: seconds(150) });
  world.in(seconds(70), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
  await drain(world);
  expect(outcomes(world)).toMatchObject([
    { kind: "expired", left: [expect.stringMatching("late")] },
  ]);
  expect(took(world)).toBe(seconds(151) + cleanUp);
});

it("a node that is opened after the deadline has its volumes waited for all the same", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
  runWithVolume(world, { name: "data", node: 1, detaching: seconds(150) });
  world.in(seconds(70), () =>
    changeNode(world, 1, (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } })),
  );
  await drain(world);
  expect(outcomes(world)).toEqual(drained);
  expect(took(world)).toBe(seconds(151) + cleanUp);
});

it("a node that is opened time and again has its volumes waited for no longer for that", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
  runWithVolume(world, { name: "data", node: 1, detaching: aDay });
  for (const at of [50, 100, 150])
    world.in(seconds(at), () =>
      changeNode(world, 1, (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } })),
    );
  await drain(world);
  expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
  expect(took(world)).toBe(seconds(60 + 180));
});

/** A pod whose volume stays with it. */
function runStaying(world: VirtualWorld, more: object): void {
  runWithVolume(world, { name: "staying", node: 1, detaching: aDay, ...more });
}

describe("a volume that is not waited for", () => {
  it("is that of a DaemonSet's pod, which stays to the node's end", async () => {
    const world = new VirtualWorld();
    const { metadata } = world.cluster.addDaemonSet({
      name: "agent",
      spec: { nodeSelector: { none: "such" } },
    });
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true };
    runStaying(world, { ownerReferences: [{ ...owner, uid: metadata.uid }] });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(9) });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(10) + cleanUp);
  });

  it("is that of a pod that has come to stay while others' volumes were waited for", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(30) });
    const annotations = { "eks-node-lifecycle/drain": "skip" };
    world.in(seconds(10), () => runStaying(world, { annotations }));
    await drain(world);
    expect(world.told("volumes-awaited")).toMatchObject([{ volumes: ["pv-data"] }]);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(31) + cleanUp);
  });

  it("is that of a pod that is skipped by its owner's wish", async () => {
    const world = new VirtualWorld();
    runStaying(world, { annotations: { "eks-node-lifecycle/drain": "skip" } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(9) });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(10) + cleanUp);
  });

  it("is one that is attached to another node, or written inline", async () => {
    const world = new VirtualWorld();
    world.cluster.addVolumeAttachment({ name: "csi-2", node: nodeOf(2), volume: "pv-2" });
    world.cluster.addVolumeAttachment({ name: "csi-inline", node: nodeOf(1) });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(9) });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(10) + cleanUp);
  });

  it("is asked for once, in one request, where a storage driver is at work", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addVolumeAttachment({ name: "csi-long-ago", node: nodeOf(1), volume: "pv" });
    world.cluster.detachVolume("csi-long-ago");
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    const asked = world.requests.filter(({ what }) => /volume/.test(what));
    expect(asked.map(({ what }) => what)).toEqual(["watch volumeattachments"]);
  });

  it("is asked for by nobody on a node without a storage driver whose pods had none", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    await drain(world);
    expect(world.cluster.store.list(volumeAttachments)).toEqual([]);
    expect(world.requests.filter(({ what }) => /volume/.test(what))).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});
