import { expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { endingsIn, evictedIn, evictionsIn, writtenIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";

const refusedIn = (world: VirtualWorld): readonly string[] =>
  writtenIn(world).filter((what) => what.endsWith(" 429"));

const evictedNames = (world: VirtualWorld): readonly string[] =>
  evictionsIn(world).map(({ what }) => what.split(" ")[2] ?? "");

const ten = Array.from({ length: 10 }, (_, index) => index + 1);

it.each(["off", "on"])(
  "ten drains of one process that share a budget request no eviction in vain, with makeRoom %s",
  async (makeRoom) => {
    const world = new VirtualWorld({ nodes: 14, settings: { DRAIN_MAKE_ROOM: makeRoom } });
    const pods = deploy(world, {
      name: "web",
      on: Object.fromEntries(ten.map((node) => [node, 6])),
    });
    world.cluster.addBudget({ name: "web", maxUnavailable: "20%" });
    world.pass(seconds(10));
    for (const node of ten) world.terminate(node);
    await world.work();
    expect(endingsIn(world)).toEqual(ten.map(() => "CONTINUE by call"));
    expect(evictedIn(world)).toHaveLength(pods.length);
    expect(refusedIn(world)).toEqual([]);
  },
);

it("a drain of two pods does not wait until another one of the same budget is done with forty", async () => {
  const world = new VirtualWorld({ nodes: 4 });
  deploy(world, { name: "many", labels: { app: "web" }, on: { 1: 40 } });
  deploy(world, { name: "few", labels: { app: "web" }, on: { 2: 2 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  world.pass(seconds(10));
  world.terminate(1);
  world.terminate(2);
  await world.work();
  expect(evictedNames(world).slice(0, 20)).toEqual(expect.arrayContaining(["few-1", "few-2"]));
});

it("thirty drains of three processes that share a budget are refused for less than every third pod", async () => {
  const world = new VirtualWorld({ nodes: 36 });
  const thirty = Array.from({ length: 30 }, (_, index) => index + 1);
  const pods = deploy(world, {
    name: "web",
    on: Object.fromEntries(thirty.map((node) => [node, 4])),
  });
  world.cluster.addBudget({ name: "web", maxUnavailable: "20%" });
  world.pass(seconds(10));
  for (const node of thirty) world.terminate(node);
  await world.work();
  expect(endingsIn(world)).toEqual(thirty.map(() => "CONTINUE by call"));
  expect(refusedIn(world).length).toBeLessThan(pods.length / 3);
});
