import { describe, expect, it } from "vitest";
import { hours, minutes } from "../../lambda/base/time.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { expectsNoSecond } from "./second-upgrade.ts";

// The world begins on a Friday at ten.
const closed = { window: tryWindow("Fri/22:00-23:00") ?? "always" } as const;
const waits = (id: string) => ({ "upgrade-waiting": `id=${id} until=2026-11-20T22:00:00.000Z` });

const cordoned = (world: UpgradeWorld) =>
  world.nodes.filter(({ spec }) => spec.unschedulable === true).length;

/** A group of four whose window closes while its upgrade has drained the first node at most. */
async function closedMidway(): Promise<UpgradeWorld> {
  const world = new UpgradeWorld({ size: 4 });
  world.start({ window: tryWindow("Fri+Sat/10:00-10:05") ?? "always" });
  await world.workFor(minutes(60));
  return world;
}

describe("an upgrade whose maintenance window is closed", () => {
  it("changes nothing but a tag that says when it begins, and is done once the window opens", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const { before } = world;
    world.start(closed);
    await world.workFor(hours(11));

    expect(world.ownTags).toEqual(waits("0badcafe"));
    expect({ ...world.group, tags: [] }).toEqual({ ...before, tags: [] });
    expect(world.traces).toEqual([]);

    await world.work();
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expect(world.ownTags).not.toHaveProperty("upgrade-waiting");
  });

  it("keeps a second one from beginning, and is called off like any other", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.start(closed);
    await world.workFor(minutes(5));
    await expectsNoSecond(world);
    expect(world.versions).toEqual(["1"]);
  });
});

describe("an upgrade whose maintenance window closes midway", () => {
  it("ends what is under way, begins nothing, and opens the nodes that are still old until the next window", async () => {
    const world = await closedMidway();

    expect(world.told("upgrade-nodes").some(({ deed }) => deed === "chosen")).toBe(true);
    expect(cordoned(world)).toBe(0);
    expect(world.versions).toContain("1");
    expect(world.told("upgrade-held").at(-1)?.reason).toBe(
      "the maintenance window is closed until 2026-11-21T10:00:00.000Z",
    );
    const { instances, sizes } = world;
    await world.workFor(hours(12));
    expect([world.instances, world.sizes]).toEqual([instances, sizes]);

    await world.work();
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 4 });
    expect(world.traces).toEqual([]);
  });
});
