import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { largePods } from "../support/large-pods.ts";
import { nodeNow } from "../world/change.ts";
import {
  deletionsIn,
  endingsIn,
  evictionsIn,
  outcomesIn,
  took,
  writtenIn,
} from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const evicted = (world: VirtualWorld) => evictionsIn(world).map(({ what }) => what.split(" ")[2]);

const emptyDir = { spec: { volumes: [{ name: "cache", emptyDir: {} }] } };

async function drain(world: VirtualWorld): Promise<void> {
  world.pass(seconds(10));
  await world.drain();
}

describe("a stop on pods that kubectl would not evict", () => {
  it("protects bare pods and those with emptyDir volumes until the deadline forces them", async () => {
    const settings = {
      DRAIN_TIMEOUT_SECONDS: "120",
      DRAIN_STOP_ON: '["bare","empty-dir"]',
    };
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 1 } });
    deploy(world, { name: "cache", ...emptyDir, on: { 1: 1 } });
    world.cluster.addPod({ name: "bare", node: nodeOf(1) });
    await drain(world);
    expect(noteLines(world.told("pass-ended")[0]?.left ?? [])).toEqual(
      expect.arrayContaining([
        "default/bare: protected by DRAIN_STOP_ON: no controller would create it again",
        "default/cache-1: protected by DRAIN_STOP_ON: the data of its emptyDir volumes would be lost",
      ]),
    );
    const all = evictionsIn(world);
    expect(all[0]?.what).toBe("create pods/eviction web-1 201");
    expect(took(world)).toBeGreaterThanOrEqual(seconds(90));
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("is left out by default", async () => {
    const world = new VirtualWorld();
    world.cluster.addPod({ name: "bare", node: nodeOf(1), ...emptyDir });
    await drain(world);
    expect(evicted(world)).toEqual(["bare"]);
    expect(took(world)).toBeLessThan(seconds(10));
  });

  it.each(["bare", '["bare"]'])(
    "may be only about one of the two, by a tag of %s",
    async (stopOn) => {
      const settings = { DRAIN_TIMEOUT_SECONDS: "60", DRAIN_FORCE: "never" };
      const world = new VirtualWorld({
        settings,
        tags: { "eks-node-lifecycle/drain-stop-on": stopOn },
      });
      deploy(world, { name: "cache", ...emptyDir, on: { 1: 1 } });
      world.cluster.addPod({ name: "bare", node: nodeOf(1) });
      await drain(world);
      expect(evicted(world)).toEqual(["cache-1"]);
      expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
      expect(namesOn(world, 1)).toEqual(["bare"]);
    },
  );
});

it("a group's tag of none takes back what the cluster's setting protects", async () => {
  const settings = { DRAIN_STOP_ON: '["bare","empty-dir"]' };
  const world = new VirtualWorld({
    settings,
    tags: { "eks-node-lifecycle/drain-stop-on": "none" },
  });
  world.cluster.addPod({ name: "bare", node: nodeOf(1) });
  await drain(world);
  expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
});

describe("a grace that is longer than the drain", () => {
  it("is told with what is left of it, where no pod may be forced", async () => {
    const world = new VirtualWorld({
      settings: { DRAIN_TIMEOUT_SECONDS: "60", DRAIN_FORCE: "never" },
    });
    deploy(world, { name: "slow", spec: { terminationGracePeriodSeconds: 600 }, on: { 1: 1 } });
    await drain(world);
    expect(outcomesIn(world)).toMatchObject([
      { kind: "forced", forced: ["default/slow-1: its grace cut to 60 s of 600 s"] },
    ]);
    expect(world.told("grace-cut")).toMatchObject([{ graceSeconds: 60, ownSeconds: 600 }]);
  });
});

describe("a pod selector", () => {
  it("restricts the drain to the pods that match, and nobody waits for the others", async () => {
    const settings = { DRAIN_POD_SELECTOR: "app in (web, api)" };
    const world = new VirtualWorld({ settings });
    world.cluster.addPod({ name: "web", node: nodeOf(1), labels: { app: "web" } });
    world.cluster.addPod({ name: "other", node: nodeOf(1), labels: { app: "other" } });
    await drain(world);
    expect(evicted(world)).toEqual(["web"]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(namesOn(world, 1)).toEqual(["other"]);
    expect(world.told("pods-seen")[0]?.skipped).toEqual(["default/other"]);
    expect(took(world)).toBeLessThan(seconds(10));
  });
});

describe("a dry run", () => {
  function aWorld(settings: Readonly<Record<string, string>> = {}): VirtualWorld {
    const world = new VirtualWorld({ settings: { DRAIN_MODE: "dry-run", ...settings } });
    deploy(world, { name: "web", on: { 1: 1 } });
    deploy(world, { name: "api", on: { 1: 1 } });
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    world.cluster.addPod({ name: "kept", node: nodeOf(1), annotations });
    const skipped = { "eks-node-lifecycle/drain": "skip" };
    world.cluster.addPod({ name: "skipped", node: nodeOf(1), annotations: skipped });
    world.cluster.addBudget({ name: "api", maxUnavailable: 0 });
    return world;
  }

  it("tells of the others, and names a namespace whose pods there are too large to be read", async () => {
    const world = aWorld();
    for (const pod of largePods(30))
      world.cluster.addPod({ ...pod, namespace: "tenant", node: nodeOf(1) });
    await drain(world);
    expect(outcomesIn(world)).toMatchObject([
      {
        kind: "dry-run",
        counts: { evicted: 1, held: 3, left: 1 },
        held: expect.arrayContaining([
          "pods of namespace tenant: not asked about, because they are too many or too large",
        ]),
      },
    ]);
  });

  it("tells what would be evicted, refused and left, changes nothing and releases the instance at once", async () => {
    const world = aWorld();
    await drain(world);
    expect(outcomesIn(world)).toEqual([
      {
        kind: "dry-run",
        counts: { evicted: 1, held: 2, left: 1 },
        evicted: ["default/web-1"],
        held: expect.arrayContaining([
          expect.stringMatching(
            /^default\/api-1: its eviction would be refused \(blocked\): .*api.* needs 1 healthy pods/,
          ),
          "default/kept: protected by its annotation karpenter.sh/do-not-disrupt: true",
        ]),
        left: ["default/skipped: skipped"],
      },
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBe(0);
    expect(world.departures).toEqual([]);
    expect(namesOn(world, 1)).toHaveLength(4);
    expect(writtenIn(world).filter((what) => !what.startsWith("create pods/eviction"))).toEqual([]);
    expect(nodeNow(world, 1).metadata.labels).not.toHaveProperty([exclusionLabel]);
    expect(nodeNow(world, 1).spec.unschedulable).toBeUndefined();
    expect(world.told("heartbeat")).toHaveLength(1);
    expect(deletionsIn(world)).toEqual([]);
  });

  it("of an instance whose node is gone says so, and releases the instance", async () => {
    const world = aWorld();
    world.cluster.removeNode(nodeOf(1));
    await drain(world);
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(world.told("fault")).toEqual([]);
  });

  it("names at most 100 pods of a kind, and follows no budgets", async () => {
    const world = aWorld();
    deploy(world, { name: "many", on: { 1: 110 } });
    await drain(world);
    const [tried] = outcomesIn(world);
    expect(tried).toHaveProperty("evicted.length", 101);
    expect(tried).toHaveProperty("evicted.100", "and 11 more pods");
    expect(tried).toHaveProperty("counts", { evicted: 111, held: 2, left: 1 });
    expect(world.requests.filter(({ what }) => what.includes("poddisruptionbudgets"))).toEqual([]);
  });

  it("releases the instance at once where the cluster does not answer, and says why", async () => {
    const world = aWorld();
    world.faults = ({ to }) =>
      to === "aws" ? well : { kind: "cluster-fault", fault: refusal(403, "no"), moment: "before" };
    await drain(world);
    expect(outcomesIn(world)).toMatchObject([
      { kind: "dry-run", evicted: [], held: [expect.stringMatching(/^cluster\.forbidden/)] },
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(world.told("fault")).toHaveLength(1);
  });
});
