import { describe, expect, it } from "vitest";
import { UpgradeWorld } from "../../world/upgrade-world.ts";
import { deploy } from "../../world/workloads.ts";

describe("the upgrade of a group", () => {
  it("replaces every node and leaves the group as it was", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 2, 2: 1, 3: 1 } });
    await world.upgraded();
    expect(world.versions).toEqual(["2"]);
    expect(world.ownTags).toMatchObject({
      "upgrade-ended": expect.stringContaining("outcome=done"),
    });
    expect(Object.keys(world.ownTags)).toEqual(["upgrade-ended"]);
    const { min, max, desired } = world.group;
    expect({ min, max, desired }).toEqual({ min: 1, max: 20, desired: 3 });
  });
});
