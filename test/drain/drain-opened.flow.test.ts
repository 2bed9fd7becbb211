import { describe, expect, it } from "vitest";
import {
  type Duration,
  milliseconds,
  minutes,
  seconds,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import { deadlineAnnotation, reasonAnnotation } from "../../lambda/drain/cause.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { someSettings } from "../support/builders.ts";
import { changeNode, cordon, nodeNow } from "../world/change.ts";
import { deletionsIn, evictedIn, evictionsIn, outcomesIn, took } from "../world/evidence.ts";
import { join } from "../world/settle.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const drained = [{ kind: "drained", attached: [], stuck: [] }];

const uncordon = (world: VirtualWorld) => {
  const open = (node: Node) => ({ ...node, spec: { ...node.spec, unschedulable: false } });
  changeNode(world, 1, open);
};

/** Writes annotations of the node, or takes them away. */
const annotate = (world: VirtualWorld, changes: Readonly<Record<string, string | undefined>>) =>
  changeNode(world, 1, ({ metadata, ...node }) => {
    const all = Object.entries({ ...metadata.annotations, ...changes });
    const annotations = Object.fromEntries(
      all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    return { ...node, metadata: { ...metadata, annotations } };
  });

/** Deletes the node; its kubelet registers it anew, and its pods run on. */
function registerAgain(world: VirtualWorld): void {
  world.cluster.removeNode(nodeOf(1));
  join(world.cluster, 1);
}

const ways = [
  ["uncordons", uncordon],
  ["deletes and registers again", registerAgain],
] as const;

/** A world whose only node is drained, so that every evicted pod waits for a place. */
function aWorld(replicas: number, settings: Readonly<Record<string, string>> = {}): VirtualWorld {
  const world = new VirtualWorld({ nodes: 1, settings });
  world.pass(minutes(1));
  deploy(world, { name: "web", on: { 1: replicas } });
  world.cluster.addPod({ name: "held", node: nodeOf(1), labels: { app: "held" } });
  world.cluster.addBudget({ name: "held", maxUnavailable: 0 });
  world.pass(minutes(1));
  return world;
}

/** Drains the node, opens it after a while, and returns how many evictions of that Deployment followed. */
async function evictionsAfter(
  world: VirtualWorld,
  wait: Duration,
  open: (world: VirtualWorld) => void,
): Promise<number> {
  let before = 0;
  world.in(wait, () => {
    before = evictionsOfWeb(world);
    open(world);
  });
  await world.drain();
  return evictionsOfWeb(world) - before;
}

const evictionsOfWeb = (world: VirtualWorld): number =>
  evictionsIn(world).filter(({ what }) => / web-\S+ 201$/.test(what)).length;

describe("a node that somebody opens in the middle of the drain", () => {
  it.each(ways)("%s: one pod that comes is evicted once", async (_, open) => {
    const world = aWorld(1);
    expect(await evictionsAfter(world, seconds(12), open)).toBe(1);
    expect(world.told("node-marked")).toHaveLength(2);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
  });

  it.each(ways)("%s: of 60 pods under a budget at most two are evicted then", async (_, open) => {
    const world = aWorld(60);
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    expect(await evictionsAfter(world, milliseconds(12_300), open)).toBeLessThanOrEqual(2);
  });

  it.each(ways)("%s: no pod that comes is evicted before the mark is back", async (_, open) => {
    const world = aWorld(60);
    let opened = world.timeline.now();
    const evictions = await evictionsAfter(world, milliseconds(12_300), () => {
      opened = world.timeline.now();
      open(world);
    });
    const [, again] = world.told("node-marked");
    expect(again).toBeDefined();
    const between = evictionsIn(world).filter(
      ({ at }) => at > opened && at < (again?.at ?? opened),
    );
    expect(between).toEqual([]);
    // Each pod that came before the mark was back is evicted once, and none after it.
    expect(evictions).toBeLessThanOrEqual(60);
    expect(new Set(evictedIn(world)).size).toBe(evictedIn(world).length);
  });
});

describe("a node that somebody opens in the second half of its drain", () => {
  it("is marked again, and its drain is not late: its pods have the grace that they would have had", async () => {
    const world = aWorld(1);
    const spec = { terminationGracePeriodSeconds: 270 };
    world.cluster.addPod({ name: "slow", node: nodeOf(1), labels: { app: "held" }, spec });
    world.in(minutes(10), () => uncordon(world));
    await world.drain();
    expect(world.told("drain-late")).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
    expect(outcomesIn(world)[0]).not.toHaveProperty("late");
    const slow = deletionsIn(world).find(({ what }) => what.includes("slow"));
    expect(slow?.body.gracePeriodSeconds).toBe(269);
    expect(world.told("node-marked").length).toBeGreaterThan(1);
  });
});

describe("a node that somebody opens and closes again while no process looks", () => {
  it("is left within budgets by the pods that came meanwhile, for they wait for a small part of its time alone", async () => {
    const world = aWorld(1, { DRAIN_TIMEOUT_SECONDS: "3600" });
    join(world.cluster, 2);
    world.in(minutes(30), () => uncordon(world));
    world.in(seconds(1801), () => {
      const annotations = { "hollow/ready-after": "200" };
      deploy(world, { name: "late", on: { 1: 6 }, annotations });
      world.cluster.addBudget({ name: "late", maxUnavailable: 1 });
    });
    world.in(seconds(1810), () => cordon(world, 1));
    await world.drain();
    expect(world.told("node-marked")).toHaveLength(1);
    expect(deletionsIn(world).map(({ what }) => what)).toEqual(["delete pods held 200"]);
  });
});

describe("an ill node whose repair takes its mark back in the middle of a hook's drain", () => {
  it("is marked again as one that terminates, for only repairs call a node ill", async () => {
    const world = aWorld(1);
    const mark = { [reasonAnnotation]: "ill", [deadlineAnnotation]: "2030-01-01T00:00:00.000Z" };
    annotate(world, mark);
    world.in(seconds(12), () => {
      expect(nodeNow(world, 1).metadata.annotations).toMatchObject(mark);
      annotate(world, { [reasonAnnotation]: undefined, [deadlineAnnotation]: undefined });
      uncordon(world);
    });
    await world.drain();
    const again = world.told("node-marked").at(-1);
    expect(world.told("node-marked").map(({ reason }) => reason)).toEqual(["ill", "terminating"]);
    expect(again?.deadline).not.toContain("2030");
  });
});

describe("a controller that opens the node again and again", () => {
  /** Opens the node this often until the drain is over. */
  function reconcile(world: VirtualWorld, every: Duration): void {
    world.in(every, () => {
      uncordon(world);
      if (outcomesIn(world).length === 0) reconcile(world, every);
    });
  }

  it.each([0.1, 1, 7])(
    "every %d s causes no eviction storm, and the deadline holds",
    async (every) => {
      const world = aWorld(1, { DRAIN_TIMEOUT_SECONDS: "300" });
      world.terminate(1);
      reconcile(world, seconds(every));
      await world.work();
      expect(outcomesIn(world)).toHaveLength(1);
      expect(took(world)).toBeLessThanOrEqual(seconds(300 + 2));
      expect(evictionsOfWeb(world)).toBeLessThanOrEqual(60);
      expect(world.told("node-marked").length).toBeLessThanOrEqual(2 + 300 / 5);
      // The pod with the budget is forced, as at any deadline.
      expect(deletionsIn(world).map(({ what }) => what)).toContain("delete pods held 200");
    },
  );
});

describe("a pod that comes though the node is marked", () => {
  it("is evicted at once if the node still is as it was marked", async () => {
    const world = new VirtualWorld();
    world.in(seconds(4.9), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(namesOn(world, 1)).toEqual([]);
    expect(took(world)).toBeLessThan(seconds(7));
  });

  it.each(["120", "172800"])(
    "is evicted in pauses that grow where its template names the node, as that of its replacement does (%s s)",
    async (DRAIN_TIMEOUT_SECONDS) => {
      const world = new VirtualWorld({ nodes: 2, settings: { DRAIN_TIMEOUT_SECONDS } });
      deploy(world, { name: "web", on: { 1: 1 }, spec: { nodeName: nodeOf(1) } });
      world.cluster.addPod({ name: "held", node: nodeOf(1), labels: { app: "held" } });
      world.cluster.addBudget({ name: "held", maxUnavailable: 0 });
      world.terminate(1);
      await world.work(minutes(60));
      // Until the mark has settled, each pod may be one that was bound before.
      const paused = evictionsOfWeb(world) - 10 * wholeSeconds(someSettings().settle);
      expect(paused).toBeGreaterThan(8);
      expect(paused).toBeLessThanOrEqual(50);
    },
  );
});
