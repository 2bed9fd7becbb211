import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { group } from "../world/world-options.ts";

const said = (process: string) =>
  `somebody has suspended ${process} of group workers: resume that first`;
const held = (world: UpgradeWorld) => world.told("upgrade-held").map(({ reason }) => reason);

/** A group of which somebody suspends a process some minutes after its upgrade has begun. */
function aWorld(process: string, after: number): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3, zones });
  world.in(minutes(after), () => world.aws.autoScaling.suspend(group, [process]));
  return world;
}

const terminated = (world: UpgradeWorld) => world.told("upgrade-terminated").length;

describe("a process of Auto Scaling that somebody suspends during an upgrade", () => {
  // Before the surge has come, while old nodes are replaced, and while the surge goes.
  it.each([
    ["Launch", 0.5],
    ["Terminate", 4],
    ["Terminate", 8.5],
    ["AddToLoadBalancer", 4],
  ])(
    "holds it while %s is suspended from minute %d on, and lets it end once that is resumed",
    async (process, after) => {
      const world = aWorld(process, after);
      world.start();
      await world.work(minutes(25));
      expect(world.ended).toBe("not yet");
      expect(held(world).at(-1)).toBe(said(process));
      const before = { terminated: terminated(world), instances: world.instances };
      await world.work(minutes(15));
      expect({ terminated: terminated(world), instances: world.instances }).toEqual(before);

      world.aws.autoScaling.suspend(group, []);
      await world.work();
      expect(world.ended).toBe("done");
      expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
      expect(world.versions).toEqual(["2"]);
    },
  );

  it("fails it when it may take no longer, with the name of the process, and it puts back what it has launched once that is resumed", async () => {
    const world = aWorld("Terminate", 4);
    world.start({ timeLimit: minutes(20) });
    await world.work(minutes(25));
    expect(world.issue).toBe(`AutoScalingGroupInvalidConfiguration: ${said("Terminate")}`);
    expect(world.traces).toEqual([]);

    world.aws.autoScaling.suspend(group, []);
    await world.work();
    expect(world.ended).toMatch(/^failed: AutoScalingGroupInvalidConfiguration: .*Terminate/);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.instances).toHaveLength(3);
  });

  it("does not keep an abort from ending where nothing has been launched", async () => {
    const world = aWorld("Launch", 0.3);
    world.start();
    world.in(minutes(10), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await world.work(minutes(20));

    expect(world.ended).toBe("aborted");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.versions).toEqual(["1"]);
  });
});
