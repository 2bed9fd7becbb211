import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import { endingsIn, evictedIn, took } from "../world/evidence.ts";
import { nodeOf } from "../world/landscape.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { namesOn } from "../world/workloads.ts";

function aCrowdedWorld(count: number): VirtualWorld {
  const world = new VirtualWorld({ settings: { DRAIN_CONCURRENCY: "100" } });
  for (let index = 1; index <= count; index += 1)
    world.cluster.addPod({ name: `pod-${index}`, node: nodeOf(1) });
  return world;
}

describe("a node with a thousand pods", () => {
  it("is listed page by page, and emptied", { timeout: 60_000 }, async () => {
    const world = aCrowdedWorld(1000);
    world.terminate(1);
    await world.work();
    expect(new Set(evictedIn(world)).size).toBe(1000);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(world.requests.filter(({ what }) => what === "list pods")).toHaveLength(3);
    expect(took(world)).toBe(seconds(5));
  });
});
