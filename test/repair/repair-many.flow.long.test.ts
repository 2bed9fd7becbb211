import { describe, expect, it } from "vitest";
import { hours, minutes } from "../../lambda/base/time.ts";
import { RepairWorld } from "../world/repair-world.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const size = 1000;
const many = { size, max: size + 100 };
const timeout = 900_000;

/** Numbers that are spread over the zones and over the group. */
const some = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => (index * 7) % size).map((index) => index + 1);

/** The kinds of the brakes that held, each once. */
const brakes = (world: RepairWorld): readonly string[] => [
  ...new Set(world.told("repair-held").map(({ brake }) => brake)),
];

/** How many repairs began at most within any hour. */
function mostWithinHour({ repaired }: RepairWorld): number {
  const from = (at: number) => repaired.filter((one) => one.at >= at && one.at < at + hours(1));
  return Math.max(0, ...repaired.map(({ at }) => from(at).length));
}

describe("of 1,000 nodes", () => {
  it("one that falls ill is replaced after 30 minutes, and no other is touched", {
    timeout,
  }, async () => {
    const world = new RepairWorld(many);
    world.silence(500);

    await world.goOn(hours(1));

    expect(world.declared).toEqual([instanceOf(500)]);
    const [{ at } = { at: 0 }] = world.repaired;
    expect(at - world.begunAt).toBeGreaterThan(minutes(30));
    expect(at - world.begunAt).toBeLessThan(minutes(40));
    expect(world.inService).toHaveLength(size - 1);
    expect(world.instances).toHaveLength(size);
    expect(brakes(world)).toEqual([]);
  });

  it("50 that fall ill at once are replaced one after the other, four an hour, after one that was ill before them", {
    timeout,
  }, async () => {
    const world = new RepairWorld(many);
    const ill = some(50);
    world.silence(900);
    world.pass(minutes(5));
    world.silence(...ill);

    await world.goOn(hours(3));

    const indexes = world.repaired.map(({ index }) => index);
    const ordered = [900, ...ill.toSorted((a, b) => a - b)];
    expect(indexes).toEqual(ordered.slice(0, indexes.length));
    expect(indexes.length).toBeGreaterThanOrEqual(9);
    expect(mostWithinHour(world)).toBe(4);
    expect(world.instances.length).toBe(size);
    expect(brakes(world)).toEqual(expect.arrayContaining(["at-once", "per-hour"]));
  });

  it("none is replaced while 400 are ill, for then it is not the node, and some are once 200 are well again", {
    timeout,
  }, async () => {
    const world = new RepairWorld(many);
    const ill = some(400);
    world.silence(...ill);

    await world.goOn(hours(2));

    expect(world.declared).toEqual([]);
    expect(world.inService).toHaveLength(size);
    expect(brakes(world)).toEqual(["ill-share"]);
    expect(world.traces).toEqual([]);

    for (const index of ill.slice(200)) world.cluster.resumeKubelet(nodeOf(index));
    await world.goOn(minutes(59));
    expect(world.declared).toHaveLength(4);
  });
});
