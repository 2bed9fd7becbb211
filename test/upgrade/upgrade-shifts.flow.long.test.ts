import { describe, expect, it } from "vitest";
import { type Duration, hours, later, minutes } from "../../lambda/base/time.ts";
import { well } from "../world/fault-plan.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const [shifted] = zones;
const held = /^traffic is shifted away from eu-west-1a, where \d+ old nodes wait/;

/** The traffic of the group is shifted away from its first zone. */
const shift = (world: UpgradeWorld, lasts: Duration = hours(4)) =>
  world.aws.zonalShifts.start(world.group.arn, shifted, lasts);

const asked = (world: UpgradeWorld): number =>
  world.requests.filter(({ what }) => what.endsWith("ListZonalShifts")).length;

/** The versions of the instances in a zone, and in all others. */
const versionsAt = (world: UpgradeWorld) => {
  const of = (there: boolean) => [
    ...new Set(
      world.instances
        .filter(({ zone }) => (zone === shifted) === there)
        .map(({ template }) => template.version),
    ),
  ];
  return { there: of(true), elsewhere: of(false) };
};

/** The nodes whose turn has come. */
const chosen = (world: UpgradeWorld): readonly string[] =>
  world.told("upgrade-nodes").flatMap(({ deed, nodes }) => (deed === "chosen" ? nodes : []));

/** When the turn of a numbered node came. */
const turnOf = (world: UpgradeWorld, index: number) =>
  world
    .told("upgrade-nodes")
    .find(({ deed, nodes }) => deed === "chosen" && nodes.some((name) => name === nodeOf(index)))
    ?.at;

describe("an upgrade while traffic is shifted away from a zone", () => {
  it.each([{ strategy: "DEFAULT" }, { strategy: "MINIMAL" }, { canary: "first" }] as const)(
    "leaves the old nodes of the zone alone until the shift ends, with %j",
    async (options) => {
      const world = new UpgradeWorld({ size: 6, zones });
      deploy(world, { name: "web", on: { 1: 1, 2: 1, 4: 1 } });
      shift(world);
      world.start({ ...options, order: "zone" });
      await world.workFor(hours(3));

      expect(versionsAt(world)).toEqual({ there: ["1"], elsewhere: ["2"] });
      expect(chosen(world)).not.toContain(nodeOf(1));
      expect(chosen(world)).not.toContain(nodeOf(4));
      expect(world.nodes.some(({ spec }) => spec.unschedulable === true)).toBe(false);
      expect(world.issue).toMatch(held);

      await world.work();
      expect(world.ended).toBe("done");
      expect(world.versions).toEqual(["2"]);
      expect(world.sizes).toEqual({ min: 1, max: 20, desired: 6 });
      world.pass(minutes(2));
      expect(world.traces).toEqual([]);
    },
  );

  it("does not grow a group all of whose old nodes are in the zone", async () => {
    const world = new UpgradeWorld({ size: 2 });
    shift(world, hours(2));
    world.start();
    await world.workFor(hours(1));

    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
    expect(world.issue).toMatch(held);
    expect(asked(world)).toBeLessThan(70);

    await world.work();
    expect(world.ended).toBe("done");
  });

  it("drains them too if it is to ignore the shift, and expects no new node there", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    shift(world);
    await world.upgraded({ zonalShift: "ignore" }, hours(2));

    expect(world.ended).toBe("done");
    expect(versionsAt(world)).toEqual({ there: [], elsewhere: ["2"] });
  });

  it("counts a shift of anything else in the Region, whose zone Auto Scaling still launches in", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    world.aws.zonalShifts.start("arn:aws:elasticloadbalancing:another", shifted, hours(1));
    world.start();
    await world.workFor(minutes(50));

    expect(chosen(world)).not.toContain(nodeOf(1));
    await world.work();
    expect(world.ended).toBe("done");
  });

  it("ends what has begun there, begins nothing more, and is put back when somebody aborts it", async () => {
    const world = new UpgradeWorld({ size: 6, zones: zones.slice(0, 1) });
    world.start();
    await world.workFor(minutes(8));
    const begun = chosen(world);
    expect(begun).not.toEqual([]);
    shift(world);
    await world.workFor(hours(1));

    expect(chosen(world).length).toBeLessThanOrEqual(begun.length + 1);
    expect(world.issue).toMatch(held);
    expect(world.replaced).toEqual(chosen(world));

    world.command({ kind: "abort", id: "0000beef" });
    await world.workFor(hours(1));
    expect(world.ended).toBe("aborted");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 6 });
    expect(world.traces).toEqual([]);
  });
});

describe("an upgrade after a zonal shift", () => {
  it("waits until the zone has a new node, before an old one of it goes", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    shift(world, hours(1));
    const ends = later(world.timeline.now(), hours(1));
    world.start();
    await world.workFor(minutes(58));
    // Auto Scaling rebalances the zones: one instance of another zone goes, and one in this zone comes.
    world.in(minutes(5), () => {
      const [surplus] = world.instances.filter(({ zone }) => zone !== shifted);
      if (surplus !== undefined) world.aws.autoScaling.terminateInstance(surplus.id, "keep");
    });
    await world.work();

    const [joined] = world
      .told("upgrade-nodes")
      .filter(({ deed, at }) => deed === "validated" && at > ends);
    expect(turnOf(world, 1)).toBeGreaterThanOrEqual(joined?.at ?? 0);
    expect(joined?.at).toBeGreaterThan(later(ends, minutes(2)));
    expect(world.ended).toBe("done");
  });

  it("waits ten minutes for that at most", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    shift(world, hours(1));
    const ends = later(world.timeline.now(), hours(1));
    await world.upgraded();

    expect(world.ended).toBe("done");
    const turn = turnOf(world, 1) ?? 0;
    expect(turn).toBeGreaterThan(later(ends, minutes(8)));
    expect(turn).toBeLessThan(later(ends, minutes(12)));
  });

  it.each([{}, { surge: 1 }])(
    "keeps the replacement of the only old node of the zone, which has no other, with %j",
    async (options) => {
      const world = new UpgradeWorld({ size: 3, zones });
      shift(world, hours(1));
      await world.upgraded(options);

      expect(world.ended).toBe("done");
      expect(world.instances.map(({ zone }) => zone).toSorted()).toEqual([...zones]);
      expect(world.nodes.map(({ spec }) => spec.unschedulable ?? false)).toEqual([
        ...[false, false, false],
      ]);
    },
  );

  it("waits ten minutes at most for that replacement to be ready", async () => {
    const node = ({ zone }: { readonly zone: string }) =>
      zone === shifted ? ({ state: "not-ready" } as const) : {};
    const world = new UpgradeWorld({ size: 3, zones, joining: { node } });
    shift(world, hours(1));
    await world.upgraded({}, hours(3));

    expect(world.ended).toBe("done");
    const entered = world.told("upgrade-phase").find(({ phase }) => phase === "scale-down")?.at;
    const waited = world.timeline.now() - (entered ?? 0);
    expect(waited).toBeGreaterThanOrEqual(minutes(10));
    expect(waited).toBeLessThan(minutes(25));
  });
});

describe("an upgrade that cannot read zonal shifts", () => {
  const denied = { code: "AccessDeniedException", status: 403, message: "no" };
  const refuses = (world: UpgradeWorld) => {
    world.faults = ({ what }) =>
      what.startsWith("arc-zonal-shift")
        ? { kind: "aws-fault", fault: denied, moment: "before" }
        : well;
  };

  it("goes on as if there were none, asks every five minutes, and the log says so", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    refuses(world);
    world.aws.zonalShifts.start("arn:aws:elasticloadbalancing:another", shifted);
    const began = world.timeline.now();
    await world.upgraded({}, hours(3));

    expect(world.ended).toBe("done");
    const warnings = world.told("warning").filter(({ about }) => about === "zonal shifts");
    expect(warnings[0]?.warnings[0]).toMatch(/^they count as none: .*no/);
    const fives = (world.timeline.now() - began) / minutes(5);
    expect(warnings.length).toBeLessThanOrEqual(Math.ceil(fives));
  });

  it("still heeds those that it has read before", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    shift(world);
    world.start();
    await world.workFor(minutes(30));
    refuses(world);
    await world.workFor(minutes(30));

    expect(chosen(world)).not.toContain(nodeOf(1));
    expect(world.told("warning").at(-1)?.warnings[0]).toMatch(/^euw1-az2 still count/);
  });
});
