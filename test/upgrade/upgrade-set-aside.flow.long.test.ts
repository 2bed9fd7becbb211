import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { asideMarking } from "../../lambda/upgrade/node-marks.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { aNode } from "../support/builders.ts";
import { changeBudget } from "../world/change.ts";
import { eventsIn } from "../world/evidence.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const aside: Partial<UpgradeOptions> = {
  undrainable: "set-aside",
  drainTimeout: minutes(2),
  surge: 2,
};

/** A group of three, on so many of whose nodes a budget lets no pod go. */
function aWorld(stuck = 1): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3 });
  const on = Object.fromEntries(Array.from({ length: stuck }, (_, at) => [at + 1, 1]));
  deploy(world, { name: "db", on });
  deploy(world, { name: "web", on: { 2: 1, 3: 1 } });
  world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
  return world;
}

const deeds = (world: UpgradeWorld, wanted: string) =>
  world.told("upgrade-nodes").flatMap(({ deed, nodes }) => (deed === wanted ? nodes : []));

const cordoned = (world: UpgradeWorld) =>
  world.nodes.flatMap(({ metadata, spec }) => (spec.unschedulable === true ? [metadata.name] : []));

const tagsLeft = (world: UpgradeWorld) =>
  Object.keys(world.ownTags).filter((key) => !key.startsWith("upgrade-ended"));

/** What a set-aside node still says when the upgrade is over. */
const asideTraces = (name: string) => [
  `${name} eks-node-lifecycle/upgrade-blocked`,
  `${name} eks-node-lifecycle/upgrade-cordoned`,
  `${name} is cordoned`,
];

describe("an upgrade that sets undrainable nodes aside", () => {
  it("replaces all others, keeps the node cordoned with its pods and one node more, and names both in its end", async () => {
    const world = await aWorld().upgraded(aside);

    expect(world.ended).toMatch(
      new RegExp(`^set-aside: 1 nodes are set aside, cordoned; node ${nodeOf(1)}: .*db-`),
    );
    expect(deeds(world, "set-aside")).toEqual([nodeOf(1)]);
    expect(deeds(world, "replaced")).toHaveLength(2);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 4 });
    expect(world.instances.map(({ template }) => template.version).toSorted()).toEqual([
      ...["1", "2", "2", "2"],
    ]);
    world.pass(minutes(2));
    expect(world.traces.toSorted()).toEqual(asideTraces(nodeOf(1)));
    expect(tagsLeft(world)).toEqual([]);
    expect(world.group.template.version).toBe("2");
  });

  it("has two attempts at it first, and gives it back to load balancers", async () => {
    const world = await aWorld().upgraded(aside);

    expect(deeds(world, "blocked")).toEqual([nodeOf(1), nodeOf(1)]);
    expect(world.traces.filter((one) => /exclude|marked-at/.test(one))).toEqual([]);
  });

  it("raises the largest size for it where the group has no room", async () => {
    const world = aWorld();
    const { register } = world.aws.autoScaling;
    register.put({ ...world.group, max: 3 });
    await world.upgraded(aside);

    expect(world.ended).toMatch(/^set-aside/);
    expect(world.sizes).toEqual({ min: 1, max: 4, desired: 4 });
  });

  it.each<[string, Partial<UpgradeOptions>, number]>([
    ["the options allow", { mostSetAside: 1, surge: 3 }, 1],
    ["the surge has nodes", { mostSetAside: 5, surge: 1 }, 1],
    ["the surge has nodes, by default", { surge: 1 }, 1],
  ])("fails and opens all of them where there are more than %s", async (_, options, most) => {
    const world = await aWorld(2).upgraded({ ...aside, ...options });

    expect(world.ended).toMatch(
      new RegExp(
        `^failed: PodEvictionFailure: .*2 nodes could not be drained; at most ${most} may be set aside`,
      ),
    );
    expect(deeds(world, "set-aside")).toEqual([]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("fails as before without the option", async () => {
    const world = await aWorld().upgraded({ ...aside, undrainable: "fail" });

    expect(world.ended).toMatch(
      /^failed: PodEvictionFailure: .*1 nodes could not be drained; node/,
    );
    expect(cordoned(world)).toEqual([]);
  });

  it("replaces it when it is started again and the pods may leave", async () => {
    const world = await aWorld().upgraded(aside);
    changeBudget(world, "db", { maxUnavailable: 1 });
    world.start(aside, "12345678");
    await world.work();

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 4 });
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("opens it when a later upgrade fails or is aborted", async () => {
    const world = await aWorld().upgraded(aside);
    world.start({ ...aside, undrainable: "fail" }, "12345678");
    await world.work();

    expect(world.ended).toMatch(/^failed: PodEvictionFailure/);
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("goes on after a pause of its scale-down without another surge, and opens all when it is aborted", async () => {
    const scalingDown = async () => {
      const world = aWorld();
      world.start(aside);
      while (!/phase=scale-down/.test(`${world.ownTags["upgrade-progress"]}`))
        await world.workFor(seconds(10));
      expect(cordoned(world)).toEqual([nodeOf(1)]);
      expect(world.ownTags["upgrade-more"]).toMatch(/^aside=1 drains=\d+$/);
      return world;
    };
    const paused = await scalingDown();
    paused.command({ kind: "pause", id: "aaaaaaaa" });
    await paused.work();
    expect(cordoned(paused)).toEqual([nodeOf(1)]);
    const most = paused.sizes.desired;
    paused.command({ kind: "resume", id: "bbbbbbbb" });
    const before = paused.told("upgrade-sized").length;
    await paused.work();
    expect(paused.ended).toMatch(/^set-aside/);
    const sizes = paused
      .told("upgrade-sized")
      .slice(before)
      .map(({ desired }) => desired);
    for (const desired of sizes) expect(desired).toBeLessThanOrEqual(most);
    expect(paused.sizes.desired).toBe(4);

    const aborted = await scalingDown();
    aborted.command({ kind: "abort", id: "aaaaaaaa" });
    await aborted.work();
    expect(aborted.ended).toBe("aborted");
    expect(aborted.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    aborted.pass(minutes(2));
    expect(aborted.traces).toEqual([]);
  });

  it("is done, and keeps no node more, where the node ends meanwhile that it has set aside", async () => {
    const world = aWorld();
    world.start(aside);
    while (!/^aside=1 /.test(`${world.ownTags["upgrade-more"]}`)) await world.workFor(seconds(10));
    const [left] = world.instances.filter(({ template }) => template.version === "1");
    world.aws.autoScaling.terminate(left?.id ?? "");
    await world.work();

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("leaves the sizes of somebody who scales meanwhile, and still says that nodes are left", async () => {
    const world = aWorld();
    world.in(minutes(4), () => world.aws.autoScaling.setDesired("workers", 8));
    await world.upgraded(aside);

    expect(world.ended).toMatch(/^set-aside: 1 nodes are set aside/);
    expect(world.sizes.desired).toBe(8);
    world.pass(minutes(2));
    expect(world.traces.toSorted()).toEqual(asideTraces(nodeOf(1)));
  });

  it("tells a warning at the node", async () => {
    const world = await aWorld().upgraded(aside);

    const events = eventsIn(world).filter(({ reason }) => reason === "UpgradeSetAside");
    expect(events.map(({ type, regarding }) => [type, regarding.name])).toEqual([
      ["Warning", nodeOf(1)],
    ]);
  });
});

describe("the mark of a node that is set aside", () => {
  it("is one that the fence takes, whatever its kubelet has written there before", () => {
    const left = "pod\u0007 \u202e".repeat(20_000);
    const { annotations } = asideMarking(aNode(), "12345678", left);
    const text = `${annotations["eks-node-lifecycle/upgrade-blocked"]}`;
    expect(text).toMatch(/^12345678 aside pod[^\p{Cc}\p{Cf}]+$/u);
    expect(Buffer.byteLength(text)).toBeLessThan(8192);
  });
});
