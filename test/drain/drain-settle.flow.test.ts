import { describe, expect, it } from "vitest";
import { later, never, seconds, timestamp } from "../../lambda/base/time.ts";
import { markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { podRemoval } from "../../sandbox/kubernetes/pod-lifecycle.ts";
import { cordon, deletePod, nodeNow } from "../world/change.ts";
import { endingsIn, evictedIn, evictionsIn, outcomesIn, took } from "../world/evidence.ts";
import { type Fault, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const drained = [{ kind: "drained", attached: [], stuck: [] }];

describe("a node that looks empty", () => {
  it("does not count as empty for five seconds after the mark", async () => {
    const world = new VirtualWorld();
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(5));
  });

  it.each([1, 3, 4.9])("has a pod evicted that appears %d s after the mark", async (late) => {
    const world = new VirtualWorld();
    world.in(seconds(late), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(["create pods/eviction late 201"]);
    expect(namesOn(world, 1)).toEqual([]);
    expect(took(world)).toBe(Math.max(seconds(5), seconds(late + 1) + podRemoval));
  });

  it("has a late pod evicted that only the last list shows, and no watch", async () => {
    const world = new VirtualWorld();
    const deaf: Fault = { kind: "cluster-fault", fault: "hang", moment: "before" };
    world.faults = ({ what }) => (what === "watch pods" ? deaf : well);
    world.in(seconds(3), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("has a late pod evicted that is bound while the last list is under way", async () => {
    const world = new VirtualWorld();
    const slow: Fault = { kind: "cluster-fault", fault: { slow: seconds(0.2) }, moment: "after" };
    const start = world.timeline.now();
    world.faults = ({ what, at }) => (what === "list pods" && at > start ? slow : well);
    world.in(seconds(5.05), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(namesOn(world, 1)).toEqual([]);
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(["create pods/eviction late 201"]);
  });

  it("does not count as empty for five seconds after a mark that took long to write", async () => {
    const world = new VirtualWorld();
    const busy: Fault = { kind: "cluster-fault", fault: throttled(7), moment: "before" };
    const late: Fault = { kind: "cluster-fault", fault: { slow: seconds(2) }, moment: "before" };
    const fates = [busy, late];
    world.faults = ({ what }) => (what.startsWith("patch nodes") ? fates.shift() : well) ?? well;
    await world.drain();
    expect(took(world)).toBe(seconds(7 + 2 + 5));
    const { annotations } = nodeNow(world, 1).metadata;
    const sent = later(world.told("notice-done")[0]?.at ?? never, seconds(-5 - 2));
    expect(annotations).toMatchObject({ [markedAtAnnotation]: timestamp(sent) });
  });
});

describe("a pod that tolerates every mark", () => {
  /** Two such pods that their controller puts back onto the node, and perhaps one held there. */
  function aWorld(): VirtualWorld {
    const world = new VirtualWorld();
    const nodeSelector = { "kubernetes.io/hostname": nodeOf(1) };
    const spec = { tolerations: [{ operator: "Exists" }], nodeSelector };
    deploy(world, { name: "agent", spec, on: { 1: 2 } });
    return world;
  }

  const agents = (world: VirtualWorld) =>
    evictionsIn(world).filter(({ what }) => /agent/.test(what));

  // The API gives a pod's age in whole seconds, so that a pod that returns within the second
  // of the mark looks older than the mark.
  it("is evicted once, and left alone when its controller puts it back onto the node", async () => {
    const world = aWorld();
    await world.drain();
    expect(agents(world).map(({ what }) => what)).toEqual([
      "create pods/eviction agent-1 201",
      "create pods/eviction agent-2 201",
    ]);
  });

  it("is left alone when its controller puts it back after the second of the mark", async () => {
    const world = aWorld();
    const start = world.timeline.now();
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(namesOn(world, 1)).toHaveLength(2);
    for (const { at } of agents(world)) expect(at - start).toBeLessThan(seconds(1.1));
  });

  it("is left alone over several passes, even if the function dies", async () => {
    const world = aWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const start = world.timeline.now();
    world.dieIn(seconds(30));
    await world.drain();
    for (const { at } of agents(world)) expect(at - start).toBeLessThan(seconds(1.1));
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});

describe("the replacement of a StatefulSet's pod, which has the same name", () => {
  function aWorld(): VirtualWorld {
    const world = new VirtualWorld();
    world.cluster.addStatefulSet({ name: "db", pods: [{ name: "db-0", node: nodeOf(1) }] });
    // Another pod keeps the drain going while the replacement starts.
    const annotations = { "hollow/term-seconds": "25" };
    deploy(world, { name: "slow", annotations, on: { 1: 1 } });
    return world;
  }

  const replacement = (world: VirtualWorld) =>
    world.cluster.store.get({ resource: pods, namespace: "default", name: "db-0" });

  function expectUntouched(world: VirtualWorld): void {
    expect(outcomesIn(world)).toEqual(drained);
    expect(replacement(world).metadata.deletionTimestamp).toBeUndefined();
    expect(replacement(world).status.conditions).not.toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget" }),
    );
    expect(evictedIn(world)).not.toContain(replacement(world).metadata.uid);
  }

  it("is not touched where it runs", async () => {
    const world = aWorld();
    await world.drain();
    expectUntouched(world);
    expect(replacement(world).spec.nodeName).toBe(nodeOf(2));
    expect(evictionsIn(world).filter(({ what }) => /db-0/.test(what))).toHaveLength(1);
  });

  it("is not touched while it waits for a node", async () => {
    const world = aWorld();
    cordon(world, 2);
    await world.drain();
    expectUntouched(world);
    expect(replacement(world).spec.nodeName).toBeUndefined();
  });

  it.each(["Pending", "Running"])(
    "is not touched after an eviction without a known outcome while it is %s",
    async (state) => {
      const world = aWorld();
      if (state === "Pending") cordon(world, 2);
      const lost: Fault = { kind: "cluster-fault", fault: "reset", moment: "after" };
      world.faults = ({ what }) => (/eviction db-0/.test(what) ? lost : well);
      await world.drain();
      expectUntouched(world);
      expect(replacement(world).status.phase).toBe(state);
    },
  );

  it("is not touched by a late eviction of its predecessor", async () => {
    const world = aWorld();
    const slow: Fault = { kind: "cluster-fault", fault: { slow: seconds(15) }, moment: "before" };
    world.faults = ({ what }) => (/eviction db-0/.test(what) ? slow : well);
    world.in(seconds(1), () => deletePod(world, "db-0"));
    await world.drain();
    expectUntouched(world);
    expect(evictionsIn(world).map(({ what }) => what)).toContain("create pods/eviction db-0 409");
  });
});
