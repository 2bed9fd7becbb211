import fc from "fast-check";
import { expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import { batchOf } from "../../lambda/upgrade/sizes.ts";
import { well } from "../world/fault-plan.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { group } from "../world/world-options.ts";

// Each run is a whole upgrade, of a second or so: as many as those of other properties would take hours.
const runs = 100;

const wish = fc.record({
  size: fc.integer({ min: 1, max: 6 }),
  spread: fc.integer({ min: 1, max: 3 }),
  named: fc.constantFrom("1", "$Default", "$Latest"),
  budget: fc.constantFrom("none", "one at a time", "blocked"),
  death: fc.integer({ min: 1, max: 800 }),
  more: fc.constantFrom("nothing", "abort", "pause and resume", "an autoscaler adds one"),
  at: fc.integer({ min: 1, max: 15 }),
  options: fc.record({
    maxUnavailable: fc.record({
      kind: fc.constantFrom("count", "percentage"),
      value: fc.integer({ min: 1, max: 60 }),
    }),
    strategy: fc.constantFrom("DEFAULT", "MINIMAL"),
    order: fc.constantFrom("emptiest", "oldest", "random", "zone"),
    cordon: fc.constantFrom("all", "by-room", "one-by-one"),
    canary: fc.constantFrom("first", "none"),
    ifBlocked: fc.constantFrom("fail", "force"),
    soak: fc.constantFrom("none" as const, minutes(3)),
  }),
});

type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

function aWorld({ size, spread, named, budget, more, at, death }: Wish): UpgradeWorld {
  const world = new UpgradeWorld({ size, zones: zones.slice(0, spread) });
  const { id: LaunchTemplateId } = world.group.template;
  world.aws.autoScaling.update(group, { LaunchTemplate: { LaunchTemplateId, Version: named } });
  const on = Object.fromEntries(Array.from({ length: size }, (_, index) => [index + 1, 1]));
  deploy(world, { name: "web", on });
  if (budget !== "none")
    world.cluster.addBudget({ name: "web", maxUnavailable: budget === "blocked" ? 0 : 1 });
  world.in(minutes(at), () => {
    if (more === "abort") world.command({ kind: "abort", id: "aaaaaaaa" });
    if (more === "pause and resume") world.command({ kind: "pause", id: "bbbbbbbb" });
    if (more === "an autoscaler adds one")
      world.aws.autoScaling.setDesired("workers", world.sizes.desired + 1);
  });
  world.faults = ({ number }) =>
    number === death ? { kind: "death", moment: number % 2 === 0 ? "before" : "after" } : well;
  return world;
}

/** How many nodes of the version of before were out at once at most: drained, or on their way out. */
function outAtOnce(world: UpgradeWorld): () => number {
  let most = 0;
  world.aws.autoScaling.onChange(() => {
    const out = world.instances.filter(
      ({ template, state }) => template.version === "1" && !/^(?:InService|Pending)/.test(state),
    );
    most = Math.max(most, out.length);
  });
  return () => most;
}

it("whatever happens, an upgrade leaves sizes, tags and nodes tidy, and never has too many nodes out", {
  timeout: 900_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(wish, async (chosen) => {
      const world = aWorld(chosen);
      const out = outAtOnce(world);
      const options: UpgradeOptions = { ...usualOptions, ...chosen.options };
      await world.upgraded({ ...options, drainTimeout: minutes(1) });
      if (world.ended === "not yet") {
        world.command({ kind: "resume", id: "cccccccc" });
        await world.work();
      }
      world.pass(minutes(5));
      const { size, spread, more } = chosen;
      expect(world.ended).not.toBe("not yet");
      expect(Object.keys(world.ownTags).filter((key) => !/ended/.test(key))).toEqual([]);
      expect(world.traces).toEqual([]);
      expect(world.group.suspended).toEqual([]);
      expect(world.sizes.max).toBe(Math.max(20, world.sizes.desired));
      if (more !== "an autoscaler adds one") expect(world.sizes).toEqual(sizesOf(world));
      if (world.ended === "done") expect(world.versions).toEqual(["2"]);
      expect(namesAfter(world, chosen)).toContain(world.group.template.version);
      // The autoscaler may be there before the upgrade begins, so that the group has one node more by then.
      const nodes = size + (more === "an autoscaler adds one" ? 1 : 0);
      expect(out()).toBeLessThanOrEqual(batchOf(options, nodes, spread));
    }),
    { numRuns: runs },
  );
});

/** What a group may name after an upgrade: the number that was wanted, or what it named before. New nodes that have proved a number to be good keep it. */
function namesAfter({ ended }: UpgradeWorld, { named }: Wish): readonly string[] {
  if (/^(?:done|scaled-elsewhere)/.test(ended)) return ["2"];
  return ended.startsWith("failed") && named === "1" ? ["1", "2"] : [named];
}

const sizesOf = ({ before: { min, max, desired } }: UpgradeWorld) => ({ min, max, desired });
