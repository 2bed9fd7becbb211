import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { nodeNow } from "../world/change.ts";
import {
  enterBlock,
  interrupt,
  interruptionOf,
  reclaim,
  reclaimOf,
  recommendationOf,
  reservationWarnings,
} from "../world/ec2-events.ts";
import { deletionsIn, evictionsIn, outcomesIn, took, writtenIn } from "../world/evidence.ts";
import { awsFailing, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

const drained = [{ kind: "drained", attached: [], stuck: [] }];

function aWorld(options: ConstructorParameters<typeof VirtualWorld>[0] = {}): VirtualWorld {
  const world = new VirtualWorld(options);
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  return world;
}

const isCordoned = (world: VirtualWorld, index = 1): boolean =>
  nodeNow(world, index).spec.unschedulable ?? false;

/** A world whose first node has a pod that its budget holds for ever. */
function aBlockedWorld(options: ConstructorParameters<typeof VirtualWorld>[0] = {}): VirtualWorld {
  const world = new VirtualWorld(options);
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

describe("an instance of an interruptible Capacity Reservation that EC2 takes back", () => {
  it.each(reservationWarnings)("has its node emptied in two minutes: %s", async (type) => {
    const world = aWorld();
    reclaim(world, { type });
    await world.work();
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomesIn(world)).toEqual(drained);
    expect(world.told("node-marked")).toMatchObject([
      { reason: "interrupted", deadline: "2026-11-20T10:01:45.000Z" },
    ]);
  });

  it.each([
    [40, 35, 38],
    [90, 78.75, 88],
    [600, 585, 598],
  ])(
    "has %i s where its event says so: %d s for pods, and %d s for volumes",
    async (away, pods, all) => {
      const world = aWorld({ settings: { DRAIN_VOLUME_TIMEOUT_SECONDS: "900" } });
      runWithVolume(world, { name: "data", node: 1, detaching: minutes(60) });
      const begun = world.timeline.now();
      reclaim(world, { ends: later(begun, seconds(away)) });
      await world.work();
      expect(world.told("node-marked")).toMatchObject([
        { deadline: timestamp(later(begun, seconds(pods))) },
      ]);
      expect(took(world)).toBe(seconds(all));
      expect(outcomesIn(world)).toMatchObject([{ kind: "drained", attached: ["pv-data"] }]);
    },
  );

  it.each([seconds(40), minutes(2), minutes(10)])(
    "breaks no budget in the first half of its time (%i ms)",
    async (away) => {
      const world = aBlockedWorld();
      const begun = world.timeline.now();
      reclaim(world, { ends: later(begun, away) });
      await world.work();
      const [first] = deletionsIn(world);
      const broken = between(begun, first?.at ?? begun);
      const [mark] = world.told("node-marked");
      const deadline = Date.parse(mark?.deadline ?? "") - begun;
      expect(broken).toBeGreaterThanOrEqual(deadline / 2);
      expect(broken).toBeLessThan(deadline);
    },
  );

  it.each<[string, Duration, boolean]>([
    ["two minutes, three after its event", minutes(2), false],
    ["five minutes, three after its event", minutes(5), true],
  ])("counts as still to come where its time is %s: %#", async (_, away, isDrained) => {
    const world = aWorld();
    reclaim(world, { ends: later(world.timeline.now(), away) });
    world.pass(minutes(3));
    await world.work();
    expect(evictionsIn(world).length > 0).toBe(isDrained);
  });

  it("takes a mark off again while its instance lives on, a minute after its end", async () => {
    const world = aBlockedWorld({ settings: { DRAIN_FORCE: "never" } });
    reclaim(world);
    await world.work(seconds(20));
    expect(isCordoned(world)).toBe(true);
    reclaim(world);
    world.pass(minutes(4));
    await world.work();
    expect(isCordoned(world)).toBe(false);
    expect(outcomesIn(world).at(-1)).toMatchObject({
      kind: "ignored",
      reason: `instance ${instanceOf(1)} runs, and the notice of its end is late`,
    });
  });
});

describe("the warning of an instance in a Capacity Block", () => {
  it.each<[string, Duration, boolean]>([
    ["in half an hour", minutes(30), true],
    ["in 40 minutes", minutes(40), true],
    ["in an hour", minutes(60), false],
    ["in a week", hours(24 * 7), false],
  ])("counts if EC2 says that the block ends %s: %#", async (_, until, isDrained) => {
    const world = aWorld();
    enterBlock(world, { endsIn: until });
    world.send(reclaimOf(world));
    await world.work(minutes(5));
    const early = `the Capacity Block of instance ${instanceOf(1)} does not end yet`;
    expect(outcomesIn(world)).toEqual(
      isDrained ? drained : [{ kind: "ignored", why: "untrue", reason: early }],
    );
    if (!isDrained) expect(writtenIn(world)).toEqual([]);
  });

  it("is none of Spot, nor advice to rebalance", async () => {
    const world = aWorld();
    enterBlock(world);
    world.send(interruptionOf(world));
    world.send(recommendationOf(world));
    await world.work(minutes(5));
    expect(outcomesIn(world)).toMatchObject([{ why: "untrue" }, { why: "untrue" }]);
    expect(writtenIn(world)).toEqual([]);
  });
});

describe("a warning of a Capacity Reservation about another instance", () => {
  const untrue = {
    kind: "ignored",
    why: "untrue",
    reason: `instance ${instanceOf(1)} is in no interruptible Capacity Reservation and no Capacity Block, so EC2 does not interrupt it`,
  };

  it.each(["on-demand", "spot"] as const)(
    "is ignored if that is bought as %s, and nothing is written",
    async (lifecycle) => {
      const world = aWorld();
      world.aws.ec2.buy(instanceOf(1), lifecycle);
      world.send(reclaimOf(world));
      await world.work();
      expect(outcomesIn(world)).toEqual([untrue]);
      expect(writtenIn(world)).toEqual([]);
    },
  );

  it("is taken for true while EC2 is silent, and taken back once EC2 answers", async () => {
    const world = aBlockedWorld();
    world.send(reclaimOf(world));
    const until = later(world.timeline.now(), seconds(20));
    const silent = awsFailing(/^ec2/, "hang");
    world.faults = (request) => (request.at < until ? silent(request) : well);
    await world.work(seconds(15));
    expect(isCordoned(world)).toBe(true);
    await world.work();
    expect(outcomesIn(world)).toEqual([untrue]);
    expect(isCordoned(world)).toBe(false);
    expect(namesOn(world, 1)).toHaveLength(1);
  });

  it("does not open a node that the true interruption of a Spot instance drains, though EC2 throttles at first", async () => {
    const world = aBlockedWorld();
    interrupt(world);
    await world.work(seconds(10));
    const until = later(world.timeline.now(), seconds(3));
    const fault = { code: "RequestLimitExceeded", message: "no", status: 503 };
    const throttling = awsFailing(/^ec2/, fault);
    world.faults = (request) => (request.at < until ? throttling(request) : well);
    world.send(reclaimOf(world));
    await world.work(seconds(20));
    expect(outcomesIn(world)).toEqual([untrue]);
    expect(isCordoned(world)).toBe(true);
    await world.work();
    expect(world.told("mark-undone")).toEqual([]);
  });

  it("drains past no budget while EC2 throttles, even if its time is short", async () => {
    const world = aBlockedWorld();
    const fault = { code: "RequestLimitExceeded", message: "no", status: 503 };
    world.faults = awsFailing(/^ec2/, fault);
    const begun = world.timeline.now();
    world.send(reclaimOf(world, { ends: later(begun, seconds(60)) }));
    await world.work(minutes(2));
    const [marked] = world.told("node-marked");
    expect(between(begun, marked?.at ?? begun)).toBeGreaterThanOrEqual(seconds(15));
    expect(between(begun, marked?.at ?? begun)).toBeLessThan(seconds(20));
    expect(deletionsIn(world)).toEqual([]);
  });

  it("is that of a Spot event too, which has always counted for such an instance", async () => {
    const world = aWorld();
    world.aws.ec2.buy(instanceOf(1), "interruptible-capacity-reservation");
    world.send(interruptionOf(world));
    world.send(recommendationOf(world));
    interrupt(world, instanceOf(2));
    await world.work(minutes(3));
    expect(isCordoned(world, 1)).toBe(true);
    expect(isCordoned(world, 2)).toBe(true);
  });
});
