import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { group } from "../world/world-options.ts";

const chosen = { key: "team", value: "blue", propagated: false };
const settings = { MANAGED_GROUPS: JSON.stringify([{ key: "team", value: "blue" }]) };

/** Takes the group out of the deployment, or gives it back, by the tag that chooses it. */
function move(world: UpgradeWorld, to: "in" | "out"): void {
  const { register } = world.aws.autoScaling;
  const found = register.findGroup(group);
  const others = found.tags.filter(({ key }) => key !== chosen.key);
  register.put({ ...found, tags: to === "in" ? [...others, chosen] : others });
}

/** An upgrade whose group is taken out of the deployment after a while, and given back an hour later. */
async function leftOut(after: number): Promise<UpgradeWorld> {
  const world = new UpgradeWorld({ settings, tags: { team: "blue" } });
  deploy(world, { name: "web", on: { 1: 2, 2: 2, 3: 2 } });
  world.start();
  await world.work(seconds(after));
  move(world, "out");
  await world.workFor(minutes(60));
  expect(world.told("upgrade-answered").map(({ end }) => end)).toMatchObject([{ kind: "refused" }]);
  expect(world.ended).toBe("not yet");
  move(world, "in");
  return world;
}

describe.each([60, 200, 320, 400])(
  "an upgrade whose group is taken out of the deployment after %i seconds, and given back",
  (after) => {
    it.each([
      ["resume", "done", ["2"]],
      ["abort", "aborted", undefined],
    ] as const)("goes on by a message: %s", async (kind, ended, versions) => {
      const world = await leftOut(after);
      world.command({ kind, id: "aaaaaaaa" });
      await world.work();
      await world.workFor(minutes(2));
      expect(world.ended).toBe(ended);
      expect(world.versions).toEqual(versions ?? world.versions);
      expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
      expect(world.instances).toHaveLength(3);
      expect(world.traces).toEqual([]);
    });
  },
);
