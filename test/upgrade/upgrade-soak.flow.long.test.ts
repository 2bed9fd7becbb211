import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  type Instant,
  instant,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { failing, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const soak = minutes(15);
const soaking: Partial<UpgradeOptions> = { soak, surge: 1 };

/** When each batch began. */
const batchTimes = (world: UpgradeWorld): readonly Instant[] =>
  world.told("upgrade-nodes").flatMap(({ deed, at }) => (deed === "chosen" ? [at] : []));

const batchTime = (world: UpgradeWorld, number: number): Instant =>
  batchTimes(world)[number - 1] ?? instant(0);

/** The times from one batch to the next. */
const gapsIn = (world: UpgradeWorld) => {
  const [first, ...others] = batchTimes(world);
  return others.map((at, index) => between([first ?? at, ...others][index] ?? at, at));
};

const doubts = (world: UpgradeWorld) =>
  world.told("upgrade-nodes").filter(({ deed }) => deed === "doubted");

/** A group of three whose first batch has been replaced, and whose new nodes have soaked for some minutes. */
async function midSoak(options: Partial<UpgradeOptions> = {}, lasted = minutes(5)) {
  const world = new UpgradeWorld({ size: 3 });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
  world.start({ ...soaking, ...options });
  while (!/^soak=\d/.test(`${world.ownTags["upgrade-more"]}`)) await world.workFor(seconds(30));
  await world.workFor(lasted);
  expect(batchTimes(world)).toHaveLength(1);
  return world;
}

const hasNode = ({ cluster: { store } }: UpgradeWorld, name: string): boolean =>
  store.list(nodes).some(({ metadata }) => metadata.name === name);

/** Lets a node be not ready for a minute, again and again; the result ends that. */
function flap(world: UpgradeWorld, node: string, every: Duration): () => void {
  let isOver = false;
  const report = (state: "not-ready" | "ready") => {
    if (hasNode(world, node)) world.cluster.reportNode(node, state);
  };
  const once = () => {
    if (isOver) return;
    report("not-ready");
    world.in(minutes(1), () => report("ready"));
    world.in(every, once);
  };
  once();
  return () => {
    isOver = true;
  };
}

const newNode = (world: UpgradeWorld): string =>
  world.told("upgrade-nodes").find(({ deed }) => deed === "validated")?.nodes[0] ?? "";

function expectTidy(world: UpgradeWorld): void {
  world.pass(minutes(2));
  const { min, max, desired } = world.before;
  expect(world.sizes).toEqual({ min, max, desired });
  expect(Object.keys(world.ownTags)).toEqual(["upgrade-ended"]);
  expect(world.traces).toEqual([]);
}

describe("an upgrade whose batches soak", () => {
  it("begins each batch but the first only that long after the new nodes were valid, and ends without another soak", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
    await world.upgraded(soaking);

    expect(world.ended).toBe("done");
    expect(gapsIn(world)).toHaveLength(2);
    for (const gap of gapsIn(world)) expect(gap).toBeGreaterThanOrEqual(soak);
    const [began] = world.told("upgrade-pass");
    expect(between(began?.at ?? instant(0), batchTime(world, 1))).toBeLessThan(minutes(5));
    expect(between(batchTime(world, 3), world.timeline.now())).toBeLessThan(soak);
    expectTidy(world);
  });

  it("writes nothing into its tag without the option, which has the number of drains alone", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const seen = new Set<string>();
    world.faults = () => {
      seen.add(`${world.ownTags["upgrade-more"]}`);
      return well;
    };
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    expect([...seen]).toEqual(["undefined", "drains=1", "drains=2", "drains=3"]);
  });

  it("soaks again from when a new node is ready again that was not meanwhile", async () => {
    const world = await midSoak();
    world.cluster.reportNode(newNode(world), "not-ready");
    await world.workFor(minutes(20));
    expect(batchTimes(world)).toHaveLength(1);
    expect(world.issue).toContain("are needed before the next may go");
    world.cluster.reportNode(newNode(world), "ready");
    const ready = world.timeline.now();
    await world.work();

    expect(world.ended).toBe("done");
    expect(between(ready, batchTime(world, 2))).toBeGreaterThanOrEqual(soak);
    expectTidy(world);
  });

  it("fails where a new node is ready and not ready again and again, and says meanwhile that the soak has begun again", async () => {
    const world = await midSoak();
    const begun = world.timeline.now();
    flap(world, newNode(world), minutes(10));
    await world.workFor(minutes(50));
    expect(world.ended).toBe("not yet");
    expect(batchTimes(world)).toHaveLength(1);
    const again = world
      .told("upgrade-held")
      .filter(({ reason }) => reason.includes("never stayed"));
    expect(again.at(-1)?.reason).toMatch(
      /^new nodes are watched until .*: the new nodes have never stayed valid for 15 min since 2026-11-20T/,
    );
    await world.workFor(hours(3));

    expect(world.ended).toMatch(
      new RegExp(
        `^failed: NodeCreationFailure: ${newNode(world)}: new, and not valid or not ready`,
      ),
    );
    const failed = world.told("upgrade-failing")[0]?.at ?? begun;
    expect(between(begun, failed)).toBeGreaterThan(minutes(65));
    expect(between(begun, failed)).toBeLessThan(minutes(85));
    expect(batchTimes(world)).toHaveLength(1);
  });

  it("goes on where a new node is ready for good after an hour", async () => {
    const world = await midSoak();
    const steady = flap(world, newNode(world), minutes(10));
    await world.workFor(minutes(60));
    steady();
    await world.work();

    expect(world.ended).toBe("done");
    expectTidy(world);
  });

  it("lasts no longer because an old node is ready and not ready again and again", async () => {
    const world = await midSoak({ maxUnready: 0 }, minutes(1));
    const begun = world.timeline.now();
    const old = [1, 2, 3].map(nodeOf).find((name) => hasNode(world, name));
    flap(world, old ?? "", minutes(4));
    await world.workFor(hours(1));

    expect(between(begun, batchTime(world, 2))).toBeLessThan(minutes(20));
    expect(batchTimes(world).length).toBeGreaterThan(1);
  });

  it("fails where a new node stays ill for half an hour, and keeps the nodes that are still old", async () => {
    const world = await midSoak();
    world.cluster.reportNode(newNode(world), "not-ready");
    await world.work();

    expect(world.ended).toMatch(/^failed: NodeCreationFailure: 3 nodes of old and new ones/);
    expect(batchTimes(world)).toHaveLength(1);
    const ill = world.told("upgrade-held").find(({ reason }) => reason.includes("are needed"))?.at;
    const failed = world.told("upgrade-failing")[0]?.at;
    expect((failed ?? 0) - (ill ?? 0)).toBeGreaterThanOrEqual(minutes(29));
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("gives a new node that is ill late in a long soak its half hour to recover", async () => {
    const world = await midSoak({ soak: hours(3), surge: 2 }, minutes(150));
    world.cluster.reportNode(newNode(world), "not-ready");
    await world.workFor(minutes(20));
    expect(world.ended).toBe("not yet");
    expect(world.issue).toContain(`${newNode(world)}: new, and not valid or not ready`);
    world.cluster.reportNode(newNode(world), "ready");
    await world.work();

    expect(world.ended).toBe("done");
  });

  it("asks the DaemonSets of all new nodes again at each look", async () => {
    const world = await midSoak();
    const annotations = { "hollow/ready": "false" };
    world.cluster.addDaemonSet({ name: "late", namespace: "kube-system", annotations });
    await world.workFor(minutes(30));

    expect(doubts(world).flatMap(({ nodes }) => nodes)).toContain(newNode(world));
    expect(batchTimes(world)).toHaveLength(1);
    expect(world.told("upgrade-held").at(-1)?.reason).toContain("late-");
  });

  it("lasts no longer because a maintenance window is closed, and begins nothing before that opens", async () => {
    const window = tryWindow("Fri+Sat/10:00-10:10") ?? "always";
    const world = await midSoak({ window });
    await world.workFor(hours(12));
    expect(batchTimes(world)).toHaveLength(1);
    await world.workFor(hours(12));

    const opens = world.told("upgrade-held").find(({ reason }) => reason.includes("window"));
    expect(opens).toBeDefined();
    // In the first minute of the next day's window.
    expect(new Date(batchTime(world, 2)).toISOString()).toMatch(/^2026-11-21T10:0[01]/);
  });

  it("counts neither a pause nor the time in which its passes fail", async () => {
    const paused = await midSoak();
    paused.command({ kind: "pause", id: "aaaaaaaa" });
    await paused.workFor(hours(2));
    paused.command({ kind: "resume", id: "bbbbbbbb" });
    const resumed = paused.timeline.now();
    await paused.work();
    expect(paused.ended).toBe("done");
    expect(between(resumed, batchTime(paused, 2))).toBeGreaterThanOrEqual(soak);

    const faulty = await midSoak();
    const forbidden = { status: 403, body: { kind: "Status", code: 403, message: "no" } } as const;
    faulty.faults = failing(/^list nodes/, forbidden);
    await faulty.workFor(hours(1));
    faulty.faults = () => well;
    const allowed = faulty.timeline.now();
    await faulty.work();
    expect(faulty.ended).toBe("done");
    const rest = between(allowed, batchTime(faulty, 2));
    expect(rest).toBeGreaterThanOrEqual(minutes(7));
    expect(rest).toBeLessThan(soak);
  });

  it("is aborted at once", async () => {
    const world = await midSoak();
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.workFor(minutes(10));

    expect(world.ended).toBe("aborted");
    expectTidy(world);
  });

  it("soaks after the first node of a canary that stands in the place of an old one", async () => {
    const world = new UpgradeWorld({ size: 3 });
    await world.upgraded({ soak, canary: "first", strategy: "MINIMAL" });

    expect(world.ended).toBe("done");
    expect(gapsIn(world)).toHaveLength(2);
    for (const gap of gapsIn(world)) expect(gap).toBeGreaterThanOrEqual(soak);
  });
});
