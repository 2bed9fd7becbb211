import { describe, expect, it } from "vitest";
import { between, minutes } from "../../../lambda/domain/time.ts";
import { pods } from "../../../sandbox/cluster/core-resources.ts";
import { completionsIn, evictedIn } from "../../world/evidence.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy } from "../../world/workloads.ts";

const burst = 300;
const going = Array.from({ length: burst }, (_, index) => index + 1);

/** 300 nodes with two pods each, and 30 nodes that stay. */
function aWorld(): VirtualWorld {
  const world = new VirtualWorld({ nodes: burst + 30 });
  deploy(world, { name: "web", on: Object.fromEntries(going.map((index) => [index, 2])) });
  return world;
}

const uidsIn = ({ cluster }: VirtualWorld): readonly string[] =>
  cluster.store.list(pods).map(({ metadata }) => metadata.uid);

describe("300 nodes that terminate at once, with ten function processes", { timeout: 300_000 }, () => {
  it("are drained without a pod being evicted onto one that is going too", async () => {
    const world = aWorld();
    const before = uidsIn(world);
    for (const index of going) world.terminate(index);
    const start = world.timeline.now();
    await world.work(minutes(60));
    const [end] = world.told("notice-done").toReversed();
    console.log({
      time: between(start, end?.at ?? start) / 1000,
      requests: world.requests.length,
      receives: world.told("pass-started").length,
      kinds: Object.entries(Object.groupBy(world.requests, ({ what }) => what.split(" ").slice(0, 2).join(" "))).map(([k, v]) => `${k} ${v?.length}`),
    });
    expect(completionsIn(world)).toBe(burst);
    expect(evictedIn(world).toSorted()).toEqual(before.toSorted());
  });
});
