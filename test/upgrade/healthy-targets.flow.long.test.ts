import { describe, expect, it } from "vitest";
import { type Duration, hours, minutes, seconds } from "../../lambda/base/time.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { followNodes, followPods, sampled } from "../world/balanced.ts";
import { awsFailing } from "../world/fault-plan.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

const port = 30080;
const minimal = { strategy: "MINIMAL" } as const;

interface Land {
  readonly size: number;
  readonly spread: number;
  /** Between two health checks; two make a new target healthy. */
  readonly interval?: Duration;
}

/** A group behind a target group of instances. */
function behindInstances({ size, spread, interval = seconds(60) }: Land) {
  const world = new UpgradeWorld({ size, zones: zones.slice(0, spread) });
  const pool = world.aws.elb.create({ name: "web", delay: seconds(10), interval });
  for (let index = 1; index <= size; index += 1) pool.register(instanceOf(index), port, "healthy");
  followNodes(world, pool, port);
  return { world, counts: sampled(world, pool), pool };
}

/** A group whose pods are the targets of a target group. */
function behindPods({ size, spread, interval = seconds(60) }: Land) {
  const world = new UpgradeWorld({ size, zones: zones.slice(0, spread) });
  const spec = { name: "web", delay: seconds(10), interval, targets: "ip" } as const;
  const pool = world.aws.elb.create(spec);
  followPods(world, pool);
  const on = Object.fromEntries(Array.from({ length: size }, (_, at) => [at + 1, 1]));
  deploy(world, { name: "web", on });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  world.pass(minutes(6));
  return { world, counts: sampled(world, pool), pool };
}

const lands = [
  { size: 1, spread: 1 },
  { size: 2, spread: 2 },
  { size: 4, spread: 3 },
] as const;

const surges: readonly Partial<UpgradeOptions>[] = [{ surge: 1 }, { surge: 2 }, {}];

const cases = lands.flatMap((land) => surges.map((options) => ({ ...land, options })));

describe("the healthy targets of a target group", () => {
  it.each(cases)(
    "are never fewer than before while $size nodes in $spread zones are upgraded with $options",
    async ({ options, ...land }) => {
      const { world, counts } = behindInstances(land);
      await world.upgraded(options);
      await world.workFor(minutes(10));

      expect(world.ended).toBe("done");
      expect(world.versions).toEqual(["2"]);
      expect(counts).toContain(land.size + 1);
      expect(Math.min(...counts)).toBe(land.size);
    },
  );

  it.each(
    lands.flatMap((land) =>
      [1, 4, 8, 12, 20].map((after) => ({ ...land, after, options: { surge: 2 } })),
    ),
  )(
    "are never fewer than before where $size nodes in $spread zones are upgraded, and somebody aborts after $after minutes",
    async ({ after, options, ...land }) => {
      const { world, counts } = behindInstances(land);
      world.in(minutes(after), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
      await world.upgraded(options);
      await world.workFor(minutes(10));

      expect(Math.min(...counts)).toBe(land.size);
      expect(world.instances).toHaveLength(land.size);
    },
  );

  it.each(lands)(
    "are never fewer than before where a budget fails the upgrade of $size nodes in $spread zones",
    async (land) => {
      const { world, counts } = behindInstances(land);
      const on = Object.fromEntries(Array.from({ length: land.size }, (_, at) => [at + 1, 1]));
      deploy(world, { name: "app", on });
      world.cluster.addBudget({ name: "app", maxUnavailable: 0 });
      await world.upgraded({ drainTimeout: minutes(1), surge: 2 });
      await world.workFor(minutes(10));

      expect(world.ended).toMatch(/^failed: PodEvictionFailure/);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(land.size);
    },
  );

  it.each(lands)(
    "are never fewer by more than one where $size nodes in $spread zones are upgraded without a surge",
    async (land) => {
      const { world, counts } = behindInstances({ ...land, interval: seconds(120) });
      await world.upgraded(minimal);
      await world.workFor(minutes(10));

      expect(world.ended).toBe("done");
      expect(Math.min(...counts)).toBe(land.size - 1);
    },
  );

  it.each(cases)(
    "that are pods are never fewer by more than one of $size in $spread zones with $options",
    async ({ options, ...land }) => {
      const { world, counts } = behindPods({ ...land, interval: seconds(120) });
      await world.upgraded(options);
      await world.workFor(minutes(10));

      expect(world.ended).toBe("done");
      expect(Math.min(...counts)).toBe(land.size - 1);
    },
  );
});

describe("the healthy targets of a target group of pods", () => {
  // Within one drain, a budget lets one pod go before its successor is healthy.
  const leastOf = ({ size }: Land): number => size - 1;

  it.each(lands.flatMap((land) => [4, 12, 20].map((after) => ({ ...land, after }))))(
    "are never fewer by more than the budget allows where $size nodes in $spread zones are upgraded, and somebody aborts after $after minutes",
    async ({ after, ...land }) => {
      const { world, counts, pool } = behindPods({ ...land, interval: seconds(120) });
      world.in(minutes(after), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
      await world.upgraded({ surge: 2 });
      await world.workFor(minutes(20));

      expect(Math.min(...counts)).toBeGreaterThanOrEqual(leastOf(land));
      expect(counts.at(-1)).toBe(land.size);
      expect(pool.targets().filter(({ state }) => state === "initial")).toEqual([]);
      expect(world.instances).toHaveLength(land.size);
    },
  );
});

/** A target group of pods, one on each node, and of an address that is registered again before its health checks end. */
function neverHealthy(world: UpgradeWorld, name: string) {
  const spec = { name, delay: seconds(10), interval: seconds(60), targets: "ip" } as const;
  const pool = world.aws.elb.create({ ...spec, answers: (address) => address !== "10.9.9.9" });
  followPods(world, pool);
  const register = () => {
    pool.register("10.9.9.9", 8080);
    world.in(seconds(45), register);
  };
  register();
}

/** Three nodes behind a target group, with a pod on each that other target groups have too. */
function amongOthers(names: readonly string[]) {
  const made = behindInstances({ size: 3, spread: 1, interval: seconds(120) });
  const { world } = made;
  for (const name of names) neverHealthy(world, name);
  deploy(world, { name: "app", on: { 1: 1, 2: 1, 3: 1 } });
  world.pass(minutes(6));
  const began = world.timeline.now();
  const took = () => (world.told("upgrade-answered").at(-1)?.at ?? began) - began;
  const warned = () => world.told("warning").filter(({ about }) => about === "load balancers");
  return { ...made, took, warned };
}

describe("a target group that never stops having new targets", () => {
  it("holds an upgrade for an hour and not at each turn, which goes on waiting for the others", async () => {
    const { world, counts, took, warned } = amongOthers(["rival"]);
    await world.upgraded({ surge: 1 });
    await world.workFor(minutes(10));

    expect(world.ended).toBe("done");
    expect(took()).toBeGreaterThan(hours(1));
    expect(took()).toBeLessThan(hours(2));
    expect(warned().flatMap(({ warnings }) => warnings)).toEqual([
      "target group rival has 1 pod that is still initial; this upgrade has waited for it, and does so no more",
    ]);
    expect(Math.min(...counts)).toBe(3);
    const waits = world.told("upgrade-held").filter(({ reason }) => reason.includes("group web"));
    const [first] = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
    expect(waits.at(-1)?.at).toBeGreaterThan(first?.at ?? Number.POSITIVE_INFINITY);
  });

  it("is one of so many that the others hold each turn for as long as a drain waits", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `rival-${at}`);
    const { world, counts, took, warned } = amongOthers(names);
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    expect(took()).toBeGreaterThan(hours(1) + 3 * minutes(5));
    expect(took()).toBeLessThan(hours(2));
    expect(Math.min(...counts)).toBe(3);
    const [first] = warned();
    for (const name of names)
      expect(first?.warnings).toContainEqual(expect.stringContaining(`target group ${name} `));
    const [begun] = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
    expect(begun?.at).toBeLessThan((first?.at ?? 0) + minutes(1));
  });
});

describe("an upgrade that cannot read target groups", () => {
  it("goes on all the same where it has no right to", async () => {
    const { world } = behindInstances({ size: 2, spread: 1 });
    world.aws.authorize = ({ action }) =>
      action.startsWith("elasticloadbalancing:") ? "denied" : "allowed";
    await world.upgraded({ strategy: "MINIMAL" });

    expect(world.ended).toBe("done");
  });

  it("waits for them an hour after its last step at most, and says so", async () => {
    const { world } = behindInstances({ size: 2, spread: 1 });
    world.faults = awsFailing(/elasticloadbalancing\w* Describe/, "reset");
    await world.upgraded({ strategy: "MINIMAL" });

    expect(world.ended).toBe("done");
    const held = world.told("upgrade-held").map(({ reason }) => reason);
    expect(held).toContainEqual(expect.stringMatching(/^load balancers have not answered: /));
  });

  it("asks none where drains do not", async () => {
    const settings = { DRAIN_TARGET_TIMEOUT_SECONDS: "0" };
    const world = new UpgradeWorld({ size: 2, settings });
    world.aws.elb.create({ name: "web" });
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    expect(world.aws.calls.of("DescribeTargetGroups")).toEqual([]);
  });
});
