import { describe, expect, it } from "vitest";
import { hours, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { changeBudget } from "../world/change.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const keepOld: Partial<UpgradeOptions> = { keepOld: hours(1), drainTimeout: minutes(2) };
const twoAtOnce = { maxUnavailable: { kind: "count", value: 2 } } as const;
const olds: readonly string[] = [1, 2, 3].map(nodeOf);

function aWorld(): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3 });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  return world;
}

const phaseOf = (world: UpgradeWorld) =>
  /phase=(\S+)/.exec(`${world.ownTags["upgrade-progress"]}`)?.[1];

/** A group of three whose upgrade has drained its old nodes and keeps them. */
async function keeping(options: Partial<UpgradeOptions> = {}): Promise<UpgradeWorld> {
  const world = aWorld();
  world.start({ ...keepOld, ...options });
  while (phaseOf(world) !== "keep") await world.workFor(seconds(30));
  return world;
}

const versionsOf = (world: UpgradeWorld) =>
  world.instances.map(({ template }) => template.version).toSorted();

const cordoned = (world: UpgradeWorld) =>
  world.nodes.flatMap(({ metadata, spec }) => (spec.unschedulable === true ? [metadata.name] : []));

/** The nodes on which pods of the Deployment run. */
const placesOf = (world: UpgradeWorld) =>
  world.cluster.store
    .list(pods)
    .filter(({ metadata }) => metadata.name.startsWith("web"))
    .map(({ spec }) => spec.nodeName ?? "");

const answers = (world: UpgradeWorld) => world.told("upgrade-answered").map(({ end }) => end);

function expectTidy(world: UpgradeWorld): void {
  world.pass(minutes(3));
  const { min, max, desired } = world.before;
  expect(world.sizes).toEqual({ min, max, desired });
  expect(Object.keys(world.ownTags).filter((key) => !/upgrade-ended/.test(key))).toEqual([]);
  expect(world.traces).toEqual([]);
}

/** Expects that the group is as before its upgrade, with its own old nodes and the pods there. */
function expectBack(world: UpgradeWorld): void {
  expect(world.ended).toBe("rolled-back");
  expectTidy(world);
  expect(world.nodes.map(({ metadata }) => metadata.name).toSorted()).toEqual(olds);
  expect(versionsOf(world)).toEqual(["1", "1", "1"]);
  expect(world.group.template.version).toBe("1");
  expect(placesOf(world)).toHaveLength(3);
  for (const place of placesOf(world)) expect(olds).toContain(place);
}

describe("an upgrade that keeps its old nodes", () => {
  it("has them drained, cordoned and spared by Cluster Autoscaler beside as many new ones, and ends them then", async () => {
    const world = await keeping();
    await world.workFor(minutes(50));

    expect(versionsOf(world)).toEqual(["1", "1", "1", "2", "2", "2"]);
    expect(cordoned(world).toSorted()).toEqual(olds);
    for (const place of placesOf(world)) expect(olds).not.toContain(place);
    for (const name of olds)
      expect(world.traces).toContain(
        `${name} cluster-autoscaler.kubernetes.io/scale-down-disabled`,
      );
    expect(world.told("upgrade-terminated")).toEqual([]);

    const drained = world
      .told("upgrade-nodes")
      .findLast(({ deed, nodes }) => deed === "drained" && nodes.some((one) => olds.includes(one)));
    await world.work();
    expect(world.ended).toBe("done");
    const [terminated] = world.told("upgrade-terminated");
    expect(terminated?.instances).toHaveLength(3);
    expect(terminated?.at).toBeGreaterThanOrEqual(
      later(drained?.at ?? world.timeline.now(), hours(1)),
    );
    expect(versionsOf(world)).toEqual(["2", "2", "2"]);
    expectTidy(world);
  });

  it("ends them in its maintenance window alone", async () => {
    const window = tryWindow("Fri+Sat/10:00-10:40") ?? "always";
    const world = await keeping({ window });
    await world.workFor(hours(12));
    expect(versionsOf(world)).toEqual(["1", "1", "1", "2", "2", "2"]);
    await world.work();

    expect(world.ended).toBe("done");
    const at = world.told("upgrade-terminated")[0]?.at ?? 0;
    expect(new Date(at).toISOString()).toMatch(/^2026-11-21T10:/);
    expectTidy(world);
  });

  it("keeps them through a pause, and anew once it is resumed", async () => {
    const world = await keeping();
    world.command({ kind: "pause", id: "aaaaaaaa" });
    await world.workFor(hours(30));
    expect(versionsOf(world)).toEqual(["1", "1", "1", "2", "2", "2"]);
    expect(cordoned(world).toSorted()).toEqual(olds);
    world.command({ kind: "resume", id: "bbbbbbbb" });
    await world.workFor(minutes(50));
    expect(versionsOf(world)).toEqual(["1", "1", "1", "2", "2", "2"]);
    await world.work();

    expect(world.ended).toBe("done");
    expectTidy(world);
  });

  it("begins no batch for which new nodes are missing, though drained old ones are still there", async () => {
    const world = aWorld();
    const batches = () =>
      world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen").length;
    world.start({ ...keepOld, soak: minutes(10) });
    while (batches() < 2) await world.workFor(seconds(30));
    await world.workFor(minutes(5));
    const names = world.nodes.map(({ metadata }) => metadata.name);
    const fresh = names.filter((name) => !olds.includes(name));
    for (const name of fresh.slice(0, 2)) world.cluster.reportNode(name, "not-ready");
    await world.workFor(minutes(20));

    expect(batches()).toBe(2);
    expect(world.issue).toMatch(/^2 nodes of old and new ones, and 4 are needed/);
    for (const name of fresh) world.cluster.reportNode(name, "ready");
    await world.work();
    expect(world.ended).toBe("done");
  });

  it("soaks between batches, and keeps what it sets aside", async () => {
    const world = aWorld();
    deploy(world, { name: "db", on: { 1: 1 } });
    world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
    await world.upgraded({ ...keepOld, soak: minutes(5), undrainable: "set-aside" });

    expect(world.ended).toMatch(/^set-aside: 1 nodes/);
    expect(versionsOf(world)).toEqual(["1", "2", "2", "2"]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 4 });
    const begun = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
    expect((begun[1]?.at ?? 0) - (begun[0]?.at ?? 0)).toBeGreaterThanOrEqual(minutes(5));
  });

  it("puts all back when it is aborted", async () => {
    const world = await keeping();
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.work();

    expect(world.ended).toBe("aborted");
    expectTidy(world);
    expect(versionsOf(world)).toEqual(["1", "1", "1"]);
  });
});

describe("upgrade rollback", () => {
  it("opens the old nodes, moves the pods back within their budget, and ends the new nodes", async () => {
    const world = await keeping();
    let least = 3;
    world.cluster.store.subscribe(() => {
      const ready = placesOf(world).filter((place) => place !== "").length;
      least = Math.min(least, ready);
    });
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.work();

    expectBack(world);
    expect(least).toBeGreaterThanOrEqual(2);
    const deeds = world.told("upgrade-nodes").map(({ deed }) => deed);
    expect(deeds.lastIndexOf("reopened")).toBeGreaterThan(0);
  });

  it.each(["upgrade", "scale-up"])("goes back from the middle of the phase %s", async (phase) => {
    const world = aWorld();
    world.start(keepOld);
    while (phaseOf(world) !== phase) await world.workFor(seconds(5));
    await world.workFor(minutes(1));
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.work();

    expectBack(world);
  });

  it("goes back from a pause", async () => {
    const world = await keeping();
    world.command({ kind: "pause", id: "aaaaaaaa" });
    await world.workFor(hours(5));
    world.command({ kind: "rollback", id: "bbbbbbbb" });
    await world.work();

    expectBack(world);
  });

  it("forces no pod, and waits for its budget as long as that takes, through further attempts", async () => {
    const world = await keeping();
    changeBudget(world, "web", { maxUnavailable: 0 });
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.workFor(hours(2));

    expect(world.ended).toBe("not yet");
    const places = new Set(placesOf(world));
    expect([...places].filter((place) => olds.includes(place))).toEqual([]);
    expect(cordoned(world).filter((name) => olds.includes(name))).toEqual([]);
    changeBudget(world, "web", { maxUnavailable: 1 });
    await world.work();
    expectBack(world);
  });

  it.each<[string, Partial<UpgradeOptions>]>([
    ["the first new node alone", { canary: "first" }],
    [
      "the emptiest nodes first, each cordoned in its turn",
      { order: "emptiest", cordon: "one-by-one" },
    ],
    ["two nodes at a time, with force", { ...twoAtOnce, ifBlocked: "force" }],
  ])("goes back from an upgrade that takes %s", async (_, options) => {
    const world = await keeping(options);
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.work();

    expectBack(world);
  });

  it("drains no new node that the group needs while old nodes are not ready", async () => {
    const world = await keeping();
    for (const name of olds.slice(0, 2)) world.cluster.reportNode(name, "not-ready");
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.workFor(minutes(30));

    expect(versionsOf(world)).toEqual(["1", "1", "1", "2", "2"]);
    expect(world.issue).toMatch(/^1 old nodes are ready, and 3 nodes in all: 4 are needed/);
    for (const name of olds) world.cluster.reportNode(name, "ready");
    await world.work();
    expectBack(world);
  });

  it("is not paused, and is revived by another message when its own is lost", async () => {
    const world = await keeping();
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.workFor(minutes(1));
    world.command({ kind: "pause", id: "bbbbbbbb" });
    await world.workFor(minutes(1));
    expect(answers(world)).toContainEqual({
      kind: "refused",
      reasons: ["upgrade 0badcafe is rolling-back, and puts everything back"],
    });
    world.deployment.queue("notices").purge();
    world.command({ kind: "rollback", id: "cccccccc" });
    await world.work();

    expectBack(world);
  });

  it("heeds no maintenance window", async () => {
    const window = tryWindow("Fri+Sat/10:00-10:40") ?? "always";
    const world = await keeping({ window });
    await world.workFor(hours(2));
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.workFor(hours(2));

    expectBack(world);
  });

  it("leaves as many new nodes as old ones have died meanwhile", async () => {
    const world = await keeping();
    const [first] = world.instances.filter(({ template }) => template.version === "1");
    world.aws.autoScaling.terminate(first?.id ?? "");
    await world.workFor(minutes(5));
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.work();

    expect(world.ended).toBe("rolled-back");
    expect(versionsOf(world)).toEqual(["1", "1", "2"]);
    expectTidy(world);
  });

  it("is aborted, and leaves the old nodes open", async () => {
    const world = await keeping();
    changeBudget(world, "web", { maxUnavailable: 0 });
    world.command({ kind: "rollback", id: "aaaaaaaa" });
    await world.workFor(minutes(10));
    changeBudget(world, "web", { maxUnavailable: 1 });
    world.command({ kind: "abort", id: "bbbbbbbb" });
    await world.work();

    expect(world.ended).toBe("aborted");
    expectTidy(world);
    expect(versionsOf(world)).toEqual(["1", "1", "1"]);
  });

  it("is refused for an upgrade that keeps no old nodes, or has ended them", async () => {
    const without = new UpgradeWorld({ size: 2 });
    without.start({ surge: 1 });
    await without.workFor(minutes(1));
    without.command({ kind: "rollback", id: "aaaaaaaa" });
    await without.work();
    expect(answers(without)[0]).toEqual({
      kind: "refused",
      reasons: ["upgrade 0badcafe keeps no old nodes (--keep-old): abort stops it"],
    });
    expect(without.ended).toBe("done");

    const over = await keeping();
    while (phaseOf(over) !== "scale-down" && over.ended === "not yet")
      await over.workFor(seconds(5));
    over.command({ kind: "rollback", id: "aaaaaaaa" });
    await over.work();
    expect(answers(over).some(({ kind }) => kind === "refused" || kind === "ended")).toBe(true);
    expect(over.ended).toBe("done");
    expectTidy(over);
  });
});
