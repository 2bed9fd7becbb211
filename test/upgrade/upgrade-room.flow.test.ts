import { describe, expect, it } from "vitest";
import { hours, minutes } from "../../lambda/base/time.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { largePods } from "../support/large-pods.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const bound = { nodeSelector: { "kubernetes.io/hostname": nodeOf(1) } };
const onFastDisk = { nodeSelector: { disk: "fast" } };
const refusal =
  /^refused: UnschedulablePods: pods would find no node, even a new one: demo\/picky-1: its replacement finds no place: node selector/;

/** Three nodes, with a pod on the third, whose disk neither the others have nor new ones, which are as the first. */
function aWorldWithout(): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3 });
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  fast(world, nodeOf(3));
  deploy(world, { name: "picky", on: { 3: 1 }, namespace: "demo", spec: onFastDisk });
  return world;
}

/** Gives a node the label of those with a fast disk. */
const fast = (world: UpgradeWorld, name: string) =>
  world.cluster.store.update({ resource: nodes, name }, (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: "fast" } },
  }));

describe("an upgrade that a window has held since its room was looked at", () => {
  it("waits while pods would find no node any more, names them, and goes on once they do", async () => {
    const world = new UpgradeWorld({ size: 3 });
    // Upgrades begin at 10:00 on a Friday.
    world.start({ window: { days: [5, 6], from: 9 * 60, to: 10 * 60 + 1 } });
    await world.workFor(minutes(60));
    fast(world, nodeOf(1));
    deploy(world, { name: "picky", on: { 1: 1 }, namespace: "demo", spec: onFastDisk });

    await world.workFor(hours(22.5));

    expect(world.told("upgrade-held").at(-1)?.reason).toMatch(
      /^UnschedulablePods: pods would find no node.*demo\/picky-1: .*node selector/,
    );
    expect(world.departures).toEqual([]);

    for (const { metadata } of world.nodes) fast(world, metadata.name);
    await world.work();
    expect(world.ended).toBe("done");
  });
});

describe("an upgrade with a namespace whose pods are too large to be read", () => {
  it("goes on with the others, and names it in each pass", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
    // In the cluster what a pod has beyond 64 kB counts.
    for (const pod of largePods(40))
      world.cluster.addPod({ ...pod, namespace: "tenant", node: nodeOf(1) });

    await world.upgraded();

    expect(world.ended).toBe("done");
    const [told] = world.told("warning").filter(({ about }) => about.includes("not read"));
    expect(told?.warnings).toEqual([expect.stringMatching(/^namespace tenant has too many pods/)]);
  });
});

describe("an upgrade whose pods would find no node", () => {
  it("is refused with the pods and what is missing, and changes nothing", async () => {
    const world = await aWorldWithout().upgraded();
    expect(world.ended).toMatch(refusal);
    expect(world.group.template).toEqual(world.before.template);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.traces).toEqual([]);
  });

  it("goes on where somebody allows that", async () => {
    const world = await aWorldWithout().upgraded({ ifUnschedulable: "allow" });
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
  });

  it("goes on without a surge, because its pods wait for replacements in any case", async () => {
    const world = await aWorldWithout().upgraded({ strategy: "MINIMAL" });
    expect(world.ended).toBe("done");
  });
});

describe("a pod of a tenant that names its node's machine", () => {
  it("refuses no upgrade and holds none later: it is told, and its neighbours move", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
    deploy(world, { name: "pinned", on: { 1: 1 }, namespace: "demo", spec: bound });
    // The room is looked at again ten minutes after the begin.
    await world.upgraded({ afterDrain: minutes(11) });
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    const said = world.told("warning").filter(({ about }) => about === "pods");
    expect(said.flatMap(({ warnings }) => warnings)).toEqual([
      expect.stringMatching(/^demo\/pinned-1: its node selector or affinity names the machine/),
    ]);
  });
});

describe("an upgrade without a surge", () => {
  const choices = (world: UpgradeWorld) =>
    world.told("warning").flatMap(({ about, warnings }) => (about === "cordons" ? warnings : []));

  it("cordons the old nodes one by one where pods have room on them alone, and says so", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 2, 2: 2, 3: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    await world.upgraded({ strategy: "MINIMAL" });

    expect(world.ended).toBe("done");
    expect(world.told("upgrade-nodes").filter(({ deed }) => deed === "blocked")).toEqual([]);
    expect(choices(world)).toEqual([
      expect.stringMatching(/^old nodes are cordoned one by one, .*default\/web-\d.*no other node/),
    ]);
  });

  it("says at the begin that pods have no room even so, and as it fails by their budget too, with the way out", async () => {
    const world = new UpgradeWorld({ size: 2 });
    const begun = world.timeline.now();
    fast(world, nodeOf(1));
    deploy(world, { name: "picky", on: { 1: 2 }, namespace: "demo", spec: onFastDisk });
    world.cluster.addBudget({ name: "picky", namespace: "demo", maxUnavailable: 1 });
    await world.upgraded({ strategy: "MINIMAL", drainTimeout: minutes(2) });

    const way = "the strategy DEFAULT with a surge of 1 has a spare node first";
    expect(choices(world).at(-1)).toMatch(/^pods wait for a new node even so, .*demo\/picky-1/);
    expect(choices(world).at(-1)).toContain(way);
    expect(world.told("warning")[0]?.at).toBe(begun);
    expect(world.ended).toMatch(/^failed: PodEvictionFailure: .*budget demo\/picky/);
    expect(world.told("upgrade-failing").at(-1)?.message).toContain(way);
  });

  it("cordons all old nodes first where other nodes have room", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.cluster.addNode({
      name: "spacious",
      providerID: "aws:///eu-west-1a/i-0aaaaaaaaaaaaaaaa",
    });
    deploy(world, { name: "web", on: { 1: 2, 2: 2, 3: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    await world.upgraded({ strategy: "MINIMAL" });

    expect(world.ended).toBe("done");
    expect(world.told("upgrade-nodes").some(({ deed }) => deed === "cordoned")).toBe(true);
    expect(choices(world)).toEqual([]);
  });
});
