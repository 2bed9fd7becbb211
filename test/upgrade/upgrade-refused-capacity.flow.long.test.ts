import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";

/** A group whose third zone has no capacity, or none of which has. */
function aWorld(where: "third" | "all"): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3, zones });
  world.aws.autoScaling.failures.plan({
    why: "capacity",
    ...(where === "all" ? {} : { zones: [zones[2]] }),
  });
  return world;
}

const refusal = /Auto Scaling says: .*capacity/;

describe("a zone without capacity", () => {
  it("is told in the status with what Auto Scaling has refused, and in the end", async () => {
    const world = aWorld("third");
    world.start();
    await world.workFor(minutes(5));
    expect(world.issue).toMatch(
      /^the new nodes in eu-west-1c are not valid yet; Auto Scaling says/,
    );
    expect(world.issue).toMatch(refusal);

    await world.work();
    expect(world.ended).toMatch(/^failed: NodeCreationFailure: /);
    expect(world.ended).toMatch(refusal);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
  });

  it("is told where the time is up before the surge has come", async () => {
    const world = await aWorld("third").upgraded({ timeLimit: minutes(10) });

    expect(world.ended).toMatch(/^failed: TimeLimitExceeded: .*3 nodes are still old: /);
    expect(world.ended).toMatch(refusal);
  });

  it("is told where the time is up while replacements are waited for", async () => {
    const world = aWorld("all");
    await world.upgraded({ strategy: "MINIMAL", timeLimit: minutes(20) });

    expect(world.ended).toMatch(/^failed: TimeLimitExceeded: .*2 nodes are still old: /);
    expect(world.ended).toMatch(refusal);
  });
});

/** Somebody starts or ends an instance refresh of the group. */
function refreshed(world: UpgradeWorld, status: "InProgress" | "Successful"): void {
  const startedAt = world.timeline.now();
  const refreshes = [{ id: "refresh", status, startedAt }];
  world.aws.autoScaling.register.put({ ...world.group, refreshes });
}

describe("an instance refresh that somebody starts midway", () => {
  it("holds what would begin, is told, and the upgrade goes on after it", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.start({ surge: 1 });
    await world.workFor(minutes(3));
    refreshed(world, "InProgress");
    await world.workFor(minutes(10));
    const before = world.replaced;
    await world.workFor(minutes(30));
    expect(world.replaced).toEqual(before);
    expect(world.ended).toBe("not yet");
    expect(world.issue).toBe(
      "AutoScalingGroupInstanceRefreshActive: an instance refresh of group workers is under way: let it end, or cancel it",
    );

    refreshed(world, "Successful");
    await world.work();
    expect(world.ended).toBe("done");
  });

  it("does not hold what an abort puts back", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.start({ surge: 1 });
    await world.workFor(minutes(3));
    refreshed(world, "InProgress");
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.work();

    expect(world.ended).toBe("aborted");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
  });
});
