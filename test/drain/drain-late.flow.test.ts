import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  type Instant,
  later,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import { excludeLabelledNodes } from "../../sandbox/cloud-controller.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { endingsIn, evictedIn, outcomesIn, writesIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const drained = { kind: "drained", attached: [], stuck: [] };

/** A world whose function works on nothing for a while after its first instance was terminated. */
function heldFor(wait: Duration, world = new VirtualWorld()): VirtualWorld {
  deploy(world, { name: "web", on: { 1: 2 } });
  world.terminate(1);
  world.pass(wait);
  return world;
}

const deletions = (world: VirtualWorld) =>
  writesIn(world).filter(({ what }) => what.startsWith("delete pods"));
const begunOf = (world: VirtualWorld): Instant => world.timeline.now();

describe("a drain that begins after its deadline, for the function was stopped", () => {
  it("evicts each pod with its own grace, and is drained", async () => {
    const world = heldFor(minutes(20));
    await world.work();
    expect(outcomesIn(world)).toEqual([{ ...drained, late: "2026-11-20T10:20:00.000Z" }]);
    expect(evictedIn(world)).toHaveLength(2);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(writesIn(world).filter(({ what }) => what.includes("eviction"))).toMatchObject([
      { body: { deleteOptions: expect.not.objectContaining({ gracePeriodSeconds: 1 }) } },
      { body: { deleteOptions: expect.not.objectContaining({ gracePeriodSeconds: 1 }) } },
    ]);
  });

  it("is told as late, with the time that it has", async () => {
    const world = heldFor(minutes(20));
    await world.work();
    expect(world.told("drain-late")).toHaveLength(1);
    expect(world.told("drain-late")[0]?.deadline).toMatch(/^2026-11-20T10:35:/);
  });

  it("has its whole time once more where a budget holds its pods, then forces them", async () => {
    const world = heldFor(minutes(20));
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const resumed = begunOf(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced", late: "2026-11-20T10:20:00.000Z" }]);
    const [first] = deletions(world);
    expect(Math.round(between(resumed, first?.at ?? resumed) / 1000)).toBe(15 * 60 - 30);
    expect(first).toMatchObject({ body: { gracePeriodSeconds: 29 } });
  });

  it("evicts what its budgets allow where force is off, and lets the instance go after that time", async () => {
    const world = heldFor(minutes(20), new VirtualWorld({ settings: { DRAIN_FORCE: "never" } }));
    deploy(world, { name: "held", on: { 1: 1 } });
    world.cluster.addBudget({ name: "held", maxUnavailable: 0 });
    const resumed = begunOf(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
    expect(evictedIn(world)).toHaveLength(2);
    expect(deletions(world)).toEqual([]);
    expect(between(resumed, world.told("notice-done")[0]?.at ?? resumed)).toBeLessThan(minutes(16));
  });

  it("says in its outcome since when it is late, though it ends in a later pass", async () => {
    const world = heldFor(minutes(20), new VirtualWorld({ settings: { DRAIN_FORCE: "never" } }));
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.work();
    expect(outcomesIn(world)).toMatchObject([
      { kind: "expired", late: "2026-11-20T10:20:00.000Z" },
    ]);
    expect(world.told("pass-started").length).toBeGreaterThan(1);
  });

  it("gets no third time, however often the function is stopped", async () => {
    const world = heldFor(minutes(20), new VirtualWorld({ settings: { DRAIN_FORCE: "never" } }));
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.work(minutes(2));
    world.pass(minutes(20));
    const resumed = begunOf(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
    expect(between(resumed, world.told("notice-done")[0]?.at ?? resumed)).toBeLessThan(minutes(2));
  });

  it("gets no third time where its kubelet takes off again and again what the node says of it", async () => {
    const world = heldFor(minutes(20), new VirtualWorld({ settings: { DRAIN_FORCE: "never" } }));
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const strip = () =>
      world.cluster.store.update({ resource: nodes, name: nodeOf(1) }, (node) => ({
        ...node,
        metadata: { ...node.metadata, annotations: {} },
      }));
    for (let minute = 2; minute < 120; minute += 2) world.in(minutes(minute), strip);
    const resumed = begunOf(world);
    await world.work(hours(3));
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
    expect(between(resumed, world.told("notice-done")[0]?.at ?? resumed)).toBeLessThan(minutes(18));
  });
});

describe("a drain that was stopped in the middle", () => {
  it("goes on with its time anew when the function is back after its deadline", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(minutes(2));
    world.pass(minutes(25));
    const resumed = begunOf(world);
    await world.work();
    const [first] = deletions(world);
    expect(Math.round(between(resumed, first?.at ?? resumed) / 1000)).toBe(15 * 60 - 30);
    expect(world.told("mark-tightened")).toMatchObject([{ markOf: "late" }]);
  });

  it("forces its pods with their grace when it comes back just after its deadline", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(minutes(2));
    world.pass(minutes(13.5));
    const resumed = begunOf(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
    expect(deletions(world)).toMatchObject([
      { body: { gracePeriodSeconds: 30 } },
      { body: { gracePeriodSeconds: 30 } },
    ]);
    expect(between(resumed, world.told("notice-done")[0]?.at ?? resumed)).toBeLessThan(seconds(40));
  });

  it("is not late when the function is back before its deadline", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(minutes(2));
    world.pass(minutes(11));
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
    expect(outcomesIn(world)).toMatchObject([
      expect.not.objectContaining({ late: expect.anything() }),
    ]);
  });
});

describe("a drain on which somebody worked all the time", () => {
  it("is not late, and lets its instance go at its deadline, wherever its passes end", async () => {
    for (let timeout = 60; timeout <= 260; timeout += 11) {
      const settings = { DRAIN_TIMEOUT_SECONDS: String(timeout) };
      const world = new VirtualWorld({ settings, heartbeat: seconds(60) });
      const finalizers = ["example.com/kept"];
      deploy(world, { name: "web", on: { 1: 1 }, spec: { terminationGracePeriodSeconds: 1 } });
      deploy(world, {
        name: "kept",
        on: { 1: 1 },
        finalizers,
        spec: { terminationGracePeriodSeconds: 1 },
      });
      for (const name of ["web", "kept"]) world.cluster.addBudget({ name, maxUnavailable: 0 });
      world.terminate(1);
      const begun = begunOf(world);
      await world.work();
      expect(world.told("drain-late"), `${timeout} s`).toEqual([]);
      const done = world.told("notice-done")[0]?.at ?? begun;
      expect(between(begun, done) / 1000, `${timeout} s`).toBeLessThanOrEqual(timeout + 4);
    }
  });
});

describe("a drain whose pods are gone, and which only waits for a load balancer", () => {
  async function backAfter(stop: Duration, timeout: number): Promise<VirtualWorld> {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: String(timeout) } });
    world.aws.elb
      .create({ name: "web", delay: seconds(300) })
      .register(instanceOf(1), 30080, "healthy");
    excludeLabelledNodes(world);
    deploy(world, { name: "web", on: { 1: 2 } });
    await world.drain(seconds(55));
    expect(namesOn(world, 1)).toEqual([]);
    world.pass(stop);
    await world.work();
    return world;
  }

  it.each<[string, Duration, number]>([
    ["long after its deadline", minutes(25), 900],
    ["and its target still has some time", minutes(3), 30],
  ])("is not late when the function is back %s", async (_, stop, timeout) => {
    const world = await backAfter(stop, timeout);
    expect(world.told("drain-late")).toEqual([]);
    const [outcome, ...others] = outcomesIn(world);
    expect(others).toEqual([]);
    expect(outcome).toMatchObject({ kind: "drained", stuck: [] });
    expect(outcome).not.toHaveProperty("late");
  });
});

describe("a drain whose first pass comes late", () => {
  it("is not late if its node has no pod", async () => {
    const world = new VirtualWorld();
    world.terminate(1);
    world.pass(minutes(20));
    await world.work();
    expect(world.told("drain-late")).toEqual([]);
    expect(outcomesIn(world)).toEqual([drained]);
  });

  it("has its whole time if half of it is over, for its notice has waited", async () => {
    const world = heldFor(minutes(14));
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const resumed = begunOf(world);
    await world.work();
    expect(Math.round(between(resumed, deletions(world)[0]?.at ?? resumed) / 1000)).toBe(870);
  });

  it("tries anew within its pass where the API server answers only then", async () => {
    const world = heldFor(minutes(20));
    const up = later(world.timeline.now(), seconds(10));
    world.faults = ({ to, at }) =>
      to === "cluster" && at < up
        ? { kind: "cluster-fault", fault: { status: 500 }, moment: "before" }
        : well;
    await world.work();
    expect(outcomesIn(world)).toEqual([{ ...drained, late: expect.stringContaining("T10:20:1") }]);
  });
});
