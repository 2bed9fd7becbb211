import { describe, expect, it } from "vitest";
import { hours, minutes, seconds, timestamp } from "../../lambda/base/time.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const own = "eks-node-lifecycle/";

type Annotations = Readonly<Record<string, string | undefined>>;

function annotated(node: Node, change: Annotations): Node {
  const all: Annotations = { ...node.metadata.annotations, ...change };
  const annotations = Object.fromEntries(
    Object.entries(all).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])),
  );
  return { ...node, metadata: { ...node.metadata, annotations } };
}

/** A world in which the kubelet of the second old node writes its node twice a minute. */
function aWorld(write: (now: string) => Annotations): UpgradeWorld {
  const world = new UpgradeWorld({ size: 2 });
  deploy(world, { name: "web", on: { 2: 1 } });
  const ref = { resource: nodes, name: nodeOf(2) };
  for (let after = 20; after < 3600 * 5; after += 20)
    world.in(seconds(after), () => {
      if (world.cluster.store.tryGet(ref) === undefined) return;
      const change = write(timestamp(world.timeline.now()));
      world.cluster.store.update(ref, (node) => annotated(node, change));
    });
  return world;
}

describe("the kubelet of an old node holds the upgrade of its group for hours at most, then that ends and names the node", () => {
  it.each<readonly [string, (now: string) => Annotations]>([
    ["takes away that an attempt has begun", () => ({ [`${own}upgrade-turn`]: undefined })],
    ["takes away that it is drained", () => ({ [`${own}upgrade-drained`]: undefined })],
    [
      "says that it has been drained just now",
      (now) => ({ [`${own}upgrade-drained`]: `0badcafe 1 ${now}` }),
    ],
    ["says that its mark is new", (now) => ({ [`${own}marked-at`]: now })],
    [
      "says that its attempt begins just now",
      (now) => ({ [`${own}upgrade-turn`]: `0badcafe 1 ${now}` }),
    ],
  ])("if it %s, again and again", async (_, write) => {
    const world = aWorld(write);
    world.start({ surge: 1, drainTimeout: minutes(5) });
    await world.workFor(hours(4));

    expect(world.ended).not.toBe("not yet");
  });
});

/** Takes an annotation off all nodes, or one. */
function takeOff({ cluster, nodes: all }: UpgradeWorld, key: string, one?: string): void {
  const some = all.filter(({ metadata: { name } }) => one === undefined || name === one);
  const marked = some.filter(({ metadata }) => key in (metadata.annotations ?? {}));
  for (const { metadata } of marked)
    cluster.store.update({ resource: nodes, name: metadata.name }, (node) =>
      annotated(node, { [key]: undefined }),
    );
}

/** Takes an annotation off the first node that has ever had it. */
function takeOffOne({ cluster, nodes: all }: UpgradeWorld, key: string, only: Set<string>): void {
  const marked = all
    .map(({ metadata }) => metadata)
    .find(
      ({ annotations = {}, name }) => key in annotations && (only.size === 0 || only.has(name)),
    );
  if (marked === undefined) return;
  only.add(marked.name);
  cluster.store.update({ resource: nodes, name: marked.name }, (node) =>
    annotated(node, { [key]: undefined }),
  );
}

describe("the kubelet of a node that takes off a mark as soon as it is written", () => {
  it.each([
    ["that of a new node", "upgrade-validated"],
    ["that of an old node", "upgrade-turn"],
  ])("has no pass go on without a rest: %s", async (_, mark) => {
    const world = new UpgradeWorld({ size: 2 });
    deploy(world, { name: "web", on: { 2: 1 } });
    const moments = new Map<number, number>();
    world.faults = ({ what }) => {
      const now = world.timeline.now();
      const asked = (moments.get(now) ?? 0) + 1;
      moments.set(now, asked);
      // Without a rest, the time of the world would stand still.
      if (what.startsWith("list nodes") && asked < 300) takeOff(world, `${own}${mark}`);
      return well;
    };
    world.start({ surge: 1, drainTimeout: minutes(5) });
    await world.workFor(hours(1));

    expect(Math.max(...moments.values())).toBeLessThan(150);
    const looks = world.requests.filter(({ what }) => what.endsWith("DescribeAutoScalingGroups"));
    expect(looks.length).toBeLessThan(200);
  });

  it("has no pass go on without a rest: those of several new nodes, each time others of them", async () => {
    const mark = `${own}upgrade-validated`;
    const world = new UpgradeWorld({ size: 4 });
    const moments = new Map<number, number>();
    let turn = 0;
    const takeOffSome = () => {
      turn += 1;
      const marked = world.nodes.filter(({ metadata }) => mark in (metadata.annotations ?? {}));
      const some = marked.filter((_, index) => (turn >> index) % 2 === 1);
      for (const { metadata } of some) takeOff(world, mark, metadata.name);
    };
    world.faults = ({ what }) => {
      const now = world.timeline.now();
      const asked = (moments.get(now) ?? 0) + 1;
      moments.set(now, asked);
      if (what.startsWith("list nodes") && asked < 300) takeOffSome();
      return well;
    };
    world.start({ surge: 4, drainTimeout: minutes(5) });
    await world.workFor(hours(1));

    expect(Math.max(...moments.values())).toBeLessThan(150);
  });

  it.each([
    ["that of a new node", "upgrade-validated"],
    ["that of an old node", "upgrade-turn"],
  ])(
    "has the upgrade of its group fail within the hour, put back, and name the node: %s",
    async (_, mark) => {
      const world = new UpgradeWorld({ size: 3 });
      deploy(world, { name: "web", on: { 2: 1 } });
      const spiteful = new Set<string>();
      world.faults = ({ what }) => {
        if (what.startsWith("list nodes")) takeOffOne(world, `${own}${mark}`, spiteful);
        return well;
      };
      world.start({ surge: 1, drainTimeout: minutes(5) });
      await world.workFor(hours(1));

      const [name] = spiteful;
      expect(world.ended).toContain(
        `failed: PodEvictionFailure: node ${name} keeps no mark of the upgrade, and others do`,
      );
      expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    },
  );

  it("has an abort end, where it puts a mark back as soon as that is taken off", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const mark = `${own}upgrade-pods`;
    const put = () =>
      world.cluster.store.update({ resource: nodes, name: nodeOf(2) }, (node) =>
        annotated(node, { [mark]: "0badcafe 1" }),
      );
    world.start({ surge: 1 });
    world.in(minutes(3), () => {
      world.faults = ({ what }) => {
        if (what.startsWith("list nodes")) put();
        return well;
      };
      world.command({ kind: "abort", id: "aaaaaaaa" });
    });
    await world.workFor(hours(1));

    expect(world.ended).toBe("aborted");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.told("warning")).toContainEqual(
      expect.objectContaining({ about: `node ${nodeOf(2)}` }),
    );
  });
});
