import { describe, expect, it } from "vitest";
import { between, never, seconds } from "../../lambda/base/time.ts";
import { allowOne, changeBudget } from "../world/change.ts";
import { outcomesIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";

describe("the journal of a drain", () => {
  it("tells at once which pods a budget begins to hold and no longer holds, with its numbers", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.pass(seconds(10));
    const start = world.timeline.now();
    world.in(seconds(12), () => changeBudget(world, "web", { maxUnavailable: 2 }));
    await world.drain();
    const numbers = { budget: "default/web", healthy: 2 };
    const [held] = world.told("pods-held");
    expect(world.told("pods-held")).toHaveLength(1);
    expect(held).toMatchObject({ ...numbers, desired: 2, allowed: 0 });
    expect(held?.pods).toEqual(["default/web-1", "default/web-2"]);
    expect(between(start, held?.at ?? never)).toBeLessThan(seconds(1));
    const [freed] = world.told("pods-freed");
    expect(world.told("pods-freed")).toHaveLength(1);
    const by = "budget";
    expect(freed).toMatchObject({ ...numbers, by, desired: 0, allowed: 2, pods: held?.pods });
    expect(between(start, freed?.at ?? never)).toBeGreaterThanOrEqual(seconds(12));
    expect(between(start, freed?.at ?? never)).toBeLessThan(seconds(13));
  });

  it("has at most two such entries for each of 40 pods that a budget lets go one by one", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 40 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    world.pass(seconds(10));
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    const passes = world.told("pass-started").length;
    expect(world.told("pods-held").length).toBeLessThanOrEqual(passes);
    expect(world.told("pods-freed").length).toBeLessThanOrEqual(40);
    expect(world.told("pods-freed").length).toBeGreaterThan(0);
  });

  // A process has five evictions of one budget under way at most.
  it.each([2, 20])("has no such entries where a budget lets all %i pods go", async (count) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: count } });
    world.cluster.addBudget({ name: "web", maxUnavailable: count });
    world.pass(seconds(10));
    await world.drain();
    expect(world.told("pods-held")).toEqual([]);
    expect(world.told("pods-freed")).toEqual([]);
  });

  it("calls pods held only once their budget allows no disruption", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 20 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 3 });
    world.pass(seconds(10));
    await world.drain();
    expect(world.told("pods-held")).toMatchObject([{ allowed: 0 }]);
  });
});

describe("a pod that is deleted past its budget at the deadline", () => {
  it("is named by the outcome and its entry, with the budget", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
    deploy(world, { name: "web", on: { 1: 1 } });
    deploy(world, { name: "free", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.pass(seconds(10));
    await world.drain();
    const past = "budget default/web (maxUnavailable 0)";
    expect(world.told("pod-deleted")).toMatchObject([{ pod: "default/web-1", past }]);
    expect(world.told("pods-freed")).toMatchObject([{ pods: ["default/web-1"], by: "deadline" }]);
    expect(outcomesIn(world)).toEqual([
      {
        kind: "forced",
        attached: [],
        stuck: [],
        forced: [`default/web-1: deleted past ${past}`],
      },
    ]);
  });

  it("is named although the budget allows a disruption before the deletion is answered", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "40" } });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.pass(seconds(10));
    world.terminate(1);
    world.faults = ({ what }) => {
      if (what.startsWith("delete pods")) allowOne(world, "web");
      return well;
    };
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
  });
});
