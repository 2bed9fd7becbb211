import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { changeBudget } from "../world/change.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";

const old = (world: UpgradeWorld) =>
  world.instances.filter(({ template }) => template.version === "1").length;

const cordoned = (world: UpgradeWorld) =>
  world.nodes.filter(({ spec }) => spec.unschedulable === true).length;

const marked = (world: UpgradeWorld) =>
  world.nodes.filter(({ metadata: { annotations = {} } }) =>
    Object.hasOwn(annotations, "eks-node-lifecycle/marked-at"),
  ).length;

const tagged = (world: UpgradeWorld) =>
  world.requests.filter(({ what }) => what === "autoscaling CreateOrUpdateTags").length;

/** A group of four whose pods no drain may evict before the budget is relaxed, paused while its first node is drained. */
async function pausedMidway(options: Partial<UpgradeOptions> = {}): Promise<UpgradeWorld> {
  const world = new UpgradeWorld({ size: 4 });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1, 4: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.start({ drainTimeout: minutes(60), ...options });
  await world.work(minutes(10));
  expect([marked(world), old(world)]).toEqual([1, 4]);
  world.command({ kind: "pause", id: "aaaaaaaa" });
  await world.workFor(minutes(10));
  return world;
}

describe("very many messages that resume one upgrade", () => {
  it("take it over once each, and it goes on", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.start();
    await world.work(minutes(1));
    const before = tagged(world);
    for (let sent = 0; sent < 60; sent += 1)
      world.command({ kind: "resume", id: sent.toString(16).padStart(8, "0") });
    await world.work();
    expect(world.ended).toBe("done");
    expect(world.traces).toEqual([]);
    expect(tagged(world) - before).toBeLessThan(60 + 40);
  });
});

describe("an upgrade that is paused midway", () => {
  it("ends the drain that is under way, begins no other one, and opens the nodes that are still old", async () => {
    const world = await pausedMidway();
    expect([marked(world), cordoned(world)]).toEqual([1, 1]);

    changeBudget(world, "web", { maxUnavailable: 1 });
    const before = tagged(world);
    await world.work();
    // When the instance ends; the end of its drain, which takes long, writes nothing: somebody may have resumed meanwhile.
    expect(tagged(world)).toBe(before + 1);
    world.pass(minutes(1));

    expect([marked(world), cordoned(world), old(world)]).toEqual([0, 0, 3]);
    expect(world.told("upgrade-answered").at(-1)?.end).toEqual({ kind: "paused" });
    expect(world.ended).toBe("not yet");

    world.command({ kind: "resume", id: "bbbbbbbb" });
    await world.work();
    expect([world.ended, world.versions]).toEqual(["done", ["2"]]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 4 });
    expect(world.traces).toEqual([]);
  });
});
