import { describe, expect, it } from "vitest";
import { type Instant, minutes, seconds } from "../../lambda/base/time.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { budgets } from "../../sandbox/kubernetes/budget.ts";
import { podRemoval } from "../../sandbox/kubernetes/pod-lifecycle.ts";
import { changeBudget } from "../world/change.ts";
import {
  billedIn,
  endingsIn,
  evictionsIn,
  isTelling,
  outcomesIn,
  took,
  writesIn,
  writtenIn,
} from "../world/evidence.ts";
import { failing } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

/** A world at rest: the status of its budgets is up to date. */
function settled(world: VirtualWorld): Instant {
  world.pass(seconds(10));
  return world.timeline.now();
}

const left = (world: VirtualWorld): readonly string[] =>
  noteLines(world.told("pass-ended").at(-1)?.left ?? []);

/** The verbs of the requests for the pods of an app, and the seconds after which they were made. */
const askedOf = (app: string, start: Instant, world: VirtualWorld) =>
  writesIn(world)
    .filter(({ what }) => what.includes(` ${app}-`))
    .map(({ what, at }) => [what.split(" ", 1)[0], Math.floor((at - start) / 1000)]);

describe("a pod that its budget holds", () => {
  it("is evicted the moment the budget allows it", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.addBudget({ name: "web", minAvailable: 2 });
    const start = settled(world);
    world.in(seconds(20), () => changeBudget(world, "web", { minAvailable: 1 }));
    await world.drain();
    // The disruption controller takes a tenth of a second; the drain takes no time.
    expect(evictionsIn(world)).toEqual([
      {
        at: start + seconds(20.1),
        what: "create pods/eviction web-1 201",
        body: expect.anything(),
      },
    ]);
    expect(world.told("pod-refused")).toEqual([]);
  });

  it("is evicted at the start of the next pass when its budget allows it between two passes", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.addBudget({ name: "web", minAvailable: 2 });
    const start = settled(world);
    world.in(seconds(52), () => changeBudget(world, "web", { minAvailable: 1 }));
    await world.drain();
    expect(evictionsIn(world).map(({ at }) => at - start)).toEqual([seconds(55)]);
  });

  it("is never evicted in vain: not one 429 under a budget of 10 %", async () => {
    const world = new VirtualWorld({ nodes: 4 });
    const web = deploy(world, { name: "web", on: { 1: 30 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: "10%" });
    settled(world);
    await world.drain();
    expect(writtenIn(world).filter((what) => what.endsWith(" 429"))).toEqual([]);
    expect(evictionsIn(world)).toHaveLength(web.length);
    // Ten rounds of three pods, each of which takes a second to end and a tenth to be counted.
    expect(took(world)).toBeLessThanOrEqual(seconds(11.2) + podRemoval);
  });

  it("is reported as held since the budget last allowed a disruption, not since the mark", async () => {
    const world = new VirtualWorld();
    const annotations = { "hollow/term-seconds": "30" };
    deploy(world, {
      name: "web",
      annotations,
      spec: { terminationGracePeriodSeconds: 60 },
      on: { 1: 1 },
    });
    deploy(world, { name: "dns", spec: critical, on: { 1: 1, 2: 1 } });
    world.cluster.addBudget({ name: "dns", minAvailable: 1 });
    settled(world);
    world.in(seconds(25), () => changeBudget(world, "dns", { minAvailable: 2 }));
    await world.drain(seconds(50));
    expect(left(world)).toEqual([
      expect.stringMatching(/^default\/dns-1: held for 25 s by budget default\/dns/),
    ]);
  });

  it("does not delay a free pod, even if the drain evicts one at a time", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_CONCURRENCY: "1" } });
    deploy(world, { name: "a-blocked", on: { 1: 5 } });
    world.cluster.addBudget({ name: "a-blocked", maxUnavailable: 0 });
    deploy(world, { name: "free", on: { 1: 3 } });
    const start = settled(world);
    await world.drain(seconds(60));
    expect(evictionsIn(world).map(({ what }) => what)).toEqual([
      "create pods/eviction free-1 201",
      "create pods/eviction free-2 201",
      "create pods/eviction free-3 201",
    ]);
    for (const { at } of evictionsIn(world)) expect(at - start).toBeLessThan(seconds(1));
  });
});

describe("a pod that its budget has held for an hour", () => {
  it("costs a few seconds of the function in each three minutes, and leaves within three minutes when it may", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "14400" } });
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.addBudget({ name: "web", minAvailable: 2 });
    const start = settled(world);
    world.in(minutes(61), () => changeBudget(world, "web", { minAvailable: 1 }));
    await world.drain();
    const [eviction] = evictionsIn(world);
    expect(eviction?.at).toBeLessThanOrEqual(start + minutes(64) + seconds(1));
    // Ten minutes of full passes, and then a look every now and then.
    expect(billedIn(world)).toBeLessThanOrEqual(seconds(650));
  });
});

describe("two budgets over one pod", () => {
  it("are named because the API refuses such evictions; the pod leaves when one is removed", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1, 2: 2 } });
    deploy(world, { name: "free", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    const selector = { matchLabels: { app: "web" } };
    world.cluster.addBudget({ name: "web-too", selector, maxUnavailable: 1 });
    settled(world);
    await world.drain(seconds(60));
    expect(namesOn(world, 1)).toEqual(["web-1"]);
    expect(left(world)).toEqual([
      expect.stringMatching(/^default\/web-1: 2 budgets .*\(default\/web, default\/web-too\)/),
    ]);
    world.cluster.store.remove({ resource: budgets, namespace: "default", name: "web-too" });
    await world.work();
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});

describe("a warning about a budget that never lets its pods go", () => {
  it("comes once for each pod, also for a late one, but not for a pod that stays", async () => {
    const world = new VirtualWorld();
    const maxUnavailable = 0;
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable });
    world.cluster.addBudget({ name: "agent", maxUnavailable });
    settled(world);
    world.terminate(1);
    const labels = { app: "web" };
    world.in(seconds(20), () => {
      world.cluster.addPod({ name: "late", node: nodeOf(1), labels });
      const agent = [{ name: "agent-1", node: nodeOf(1) }];
      world.cluster.addDaemonSet({ name: "agent", labels: { app: "agent" }, pods: agent });
    });
    world.in(seconds(30), () => world.cluster.addPod({ name: "other", node: nodeOf(2), labels }));
    await world.work(seconds(45));
    expect(world.told("warning")).toMatchObject([
      { about: "default/web-1", warnings: [expect.stringMatching(/never be met/)] },
      {
        about: "default/late",
        warnings: [expect.stringMatching(/never be met/), "no controller will put it up again"],
      },
    ]);
  });
});

describe("a budget", () => {
  it("that the disruption controller has not seen yet holds its pods until it has", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.holdBudgets();
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    const start = settled(world);
    world.in(seconds(30), () => world.cluster.releaseBudgets());
    await world.drain();
    expect(evictionsIn(world).map(({ at }) => at - start)).toEqual([seconds(30.1)]);
    expect(world.told("pod-refused")).toEqual([]);
  });

  const sick = { "hollow/ready": "false" };

  it("that lets unhealthy pods go does not hold them", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", annotations: sick, on: { 1: 2 } });
    const unhealthyPodEvictionPolicy = "AlwaysAllow";
    world.cluster.addBudget({ name: "web", minAvailable: 2, unhealthyPodEvictionPolicy });
    settled(world);
    await world.drain();
    expect(took(world)).toBe(seconds(5));
  });
});

describe("a namespace whose budgets somebody changes so often that each eviction lasts half a minute", () => {
  /** So many pods of it are on the node, with as many budgets; two of another namespace have a budget that never lets them go. */
  function crowded(namespaces: readonly string[], budgetsOfEach: number): VirtualWorld {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
    for (const namespace of namespaces)
      for (let one = 1; one <= budgetsOfEach; one += 1) {
        const name = `theirs-${one}`;
        deploy(world, { name, namespace, on: { 1: 30 } });
        world.cluster.addBudget({ name, namespace, minAvailable: 1 });
      }
    const spec = { terminationGracePeriodSeconds: 20 };
    deploy(world, { name: "db", namespace: "shop", spec, on: { 1: 2 } });
    deploy(world, { name: "web", namespace: "shop", on: { 1: 3, 2: 3 } });
    world.cluster.addBudget({ name: "db", namespace: "shop", maxUnavailable: 0 });
    world.cluster.addBudget({ name: "web", namespace: "shop", maxUnavailable: 3 });
    settled(world);
    world.faults = failing(/^create pods\/eviction theirs/, { slow: seconds(33) });
    return world;
  }

  it.each([
    ["one budget", ["a"], 1],
    ["five budgets", ["a"], 5],
    ["five budgets in each of two namespaces", ["a", "b"], 5],
  ] as const)(
    "keeps no pod of others from its eviction, nor from its grace at the deadline: %s",
    async (_, namespaces, budgetsOfEach) => {
      const world = crowded(namespaces, budgetsOfEach);
      const start = world.timeline.now();
      await world.drain();
      expect(askedOf("web", start, world)).toEqual(Array(3).fill(["create", 0]));
      expect(askedOf("db", start, world)).toEqual(Array(2).fill(["delete", 40]));
    },
  );
});

describe("a namespace without budgets, where a webhook takes half a minute for each eviction", () => {
  it.each([[["a"]], [["a", "b", "c", "d"]]])(
    "keeps no pod of others from its eviction, nor from its grace at the deadline: %s",
    async (namespaces) => {
      const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "120" } });
      for (const namespace of namespaces)
        deploy(world, { name: "theirs", namespace, on: { 1: 60 } });
      deploy(world, { name: "web", namespace: "shop", on: { 1: 3, 2: 3 } });
      world.cluster.addBudget({ name: "web", namespace: "shop", maxUnavailable: 3 });
      const spec = { terminationGracePeriodSeconds: 20 };
      deploy(world, { name: "db", namespace: "shop", spec, on: { 1: 1 } });
      world.cluster.addBudget({ name: "db", namespace: "shop", maxUnavailable: 0 });
      const start = settled(world);
      world.faults = failing(/^create pods\/eviction theirs/, { slow: seconds(33) });
      await world.drain();
      expect(askedOf("web", start, world)).toEqual(Array(3).fill(["create", 0]));
      expect(askedOf("db", start, world)).toEqual([["delete", 100]]);
    },
  );

  it("has the pods of others asked within seconds, though it is one of forty such namespaces", async () => {
    const world = new VirtualWorld();
    for (let index = 1; index <= 40; index += 1)
      deploy(world, { name: `theirs-${index}`, namespace: `a-${index}`, on: { 1: 4 } });
    deploy(world, { name: "web", namespace: "shop", on: { 1: 8, 2: 8 } });
    world.cluster.addBudget({ name: "web", namespace: "shop", maxUnavailable: 8 });
    const start = settled(world);
    world.faults = failing(/^create pods\/eviction theirs/, { slow: seconds(25) });
    await world.drain();
    const asked = askedOf("web", start, world).map(([, after]) => Number(after));
    expect(asked).toHaveLength(8);
    expect(Math.max(...asked)).toBeLessThanOrEqual(15);
  });
});

describe("an outcome by force", () => {
  it("names a forced pod of each namespace, though somebody has had a hundred of theirs forced", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "theirs", namespace: "a", on: { 1: 100 } });
    deploy(world, { name: "db", namespace: "shop", on: { 1: 1 } });
    for (const [name, namespace] of [
      ["theirs", "a"],
      ["db", "shop"],
    ] as const)
      world.cluster.addBudget({ name, namespace, maxUnavailable: 0 });
    settled(world);
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([
      { kind: "forced", forced: expect.arrayContaining([expect.stringMatching(/^shop\/db-1: /)]) },
    ]);
  });
});

describe("a namespace that is being deleted and refuses evictions", () => {
  it("gets evictions every few seconds, then deletions by UID and with the pods' own grace", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    const causes = [
      { reason: "NamespaceTerminating", message: "namespace default is being terminated" },
    ];
    const fault = {
      status: 403,
      body: { kind: "Status", status: "Failure", code: 403, details: { causes } },
    };
    world.faults = failing(/eviction/, fault);
    const start = settled(world);
    await world.drain();
    const deletion = writesIn(world).find(({ what }) => what === "delete pods web-1 200");
    expect(deletion?.body).toMatchObject({ preconditions: { uid: expect.any(String) } });
    expect((deletion?.at ?? start) - start).toBeGreaterThanOrEqual(seconds(30));
    expect((deletion?.at ?? start) - start).toBeLessThanOrEqual(seconds(40));
    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toEqual(["drained"]);
  });
});

describe("the requests to the API server", () => {
  async function drainOf(count: number, maxUnavailable: number | string) {
    const world = new VirtualWorld({ nodes: 4 });
    deploy(world, { name: "web", on: { 1: count } });
    if (maxUnavailable !== "") world.cluster.addBudget({ name: "web", maxUnavailable });
    settled(world);
    await world.drain();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    const requests = world.requests.filter(({ to }) => to === "cluster").length;
    const telling = world.cluster.audit.filter(isTelling).length;
    return { requests, telling };
  }

  it.each([
    [30, ""],
    [30, "10%"],
    [100, ""],
    [100, "10%"],
  ])(
    "are at most 1.2 for each of %i pods under a budget of %s, without Events",
    async (count, budget) => {
      const { requests, telling } = await drainOf(count, budget);
      expect((requests - telling) / count).toBeLessThanOrEqual(1.2);
    },
  );

  it.each([
    [60, ""],
    [60, "10%"],
    [100, ""],
    [100, "10%"],
  ])(
    "are at most 1.25 for each of %i pods under a budget of %s, with Events",
    async (count, budget) => {
      const { requests } = await drainOf(count, budget);
      expect(requests / count).toBeLessThanOrEqual(1.25);
    },
  );

  it.each([
    ["", 2],
    ["50%", 2],
    ["10%", 4],
  ])(
    "are two for Events of the drain, and two more for a budget that holds pods for long: %s",
    async (budget, telling) => {
      expect(await drainOf(30, budget)).toMatchObject({ telling });
    },
  );
});
