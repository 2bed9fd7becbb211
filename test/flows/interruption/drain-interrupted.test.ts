import { describe, expect, it } from "vitest";
import { between, minutes, seconds } from "../../../lambda/domain/time.ts";
import { interrupt } from "../../world/ec2-events.ts";
import { deletionsIn, evictionsIn, took } from "../../world/evidence.ts";
import { VirtualWorld } from "../../world/virtual-world.ts";
import { deploy, namesOn } from "../../world/workloads.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);

describe("the interruption of a Spot instance", () => {
  it.each(["terminate", "stop", "hibernate"] as const)(
    "that is to %s empties its node at once: the first eviction comes in the second of the notice",
    async (action) => {
      const world = new VirtualWorld();
      deploy(world, { name: "web", on: { 1: 3 } });
      const begun = world.timeline.now();
      interrupt(world, undefined, action);
      await world.work();
      const [first] = evictionsIn(world);
      expect(between(begun, first?.at ?? begun)).toBeLessThanOrEqual(seconds(1));
      expect(namesOn(world, 1)).toEqual([]);
      expect(outcomes(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
      expect(world.told("node-marked")).toMatchObject([
        { reason: "interrupted", deadline: "2026-11-20T10:01:45.000Z" },
      ]);
    },
  );

  it("ends within two minutes less what volumes need, and forces what a budget holds by then", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const begun = world.timeline.now();
    interrupt(world);
    await world.work();
    expect(between(begun, deletionsIn(world)[0]?.at ?? begun)).toBe(seconds(75) + 1);
    expect(took(world)).toBeLessThan(minutes(2));
  });
});
