import { describe, expect, it } from "vitest";
import { hours, minutes } from "../../lambda/base/time.ts";
import type { StatusCondition } from "../../sandbox/kubernetes/kube-object.ts";
import { announce, days, retirement } from "../interruption/planned-work.ts";
import { changeBudget, changeNode, nodeNow } from "../world/change.ts";
import { enterBlock, recommend, tellOfBlock } from "../world/ec2-events.ts";
import { outcomesIn } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf, type WorldOptions } from "../world/world-options.ts";

const on = { DRAIN_CONDITIONS: "on" };
const lifecycle = /^(?:DrainInProgress|Drained|Maintenance)/;

function aWorld({ settings, ...options }: WorldOptions = {}): VirtualWorld {
  const world = new VirtualWorld({ ...options, settings: { ...on, ...settings } });
  deploy(world, { name: "web", on: { 1: 2 } });
  return world;
}

const allOn = (world: VirtualWorld, index = 1): readonly StatusCondition[] =>
  nodeNow(world, index).status.conditions ?? [];
const conditionsOn = (world: VirtualWorld, index = 1) =>
  allOn(world, index).filter(({ type }) => lifecycle.test(type));
const typesOn = (world: VirtualWorld, index = 1) =>
  conditionsOn(world, index).map(({ type }) => type);
const patches = (world: VirtualWorld) =>
  world.requests.filter(({ what }) => what.startsWith("patch nodes/status"));

/** Has a budget hold the pods for four minutes. */
function blocked(world: VirtualWorld): VirtualWorld {
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.in(minutes(4), () => changeBudget(world, "web", { maxUnavailable: 2 }));
  return world;
}

describe("the conditions of a node", () => {
  it("say that its drain is in progress, then that it is drained, in one write each", async () => {
    const world = blocked(aWorld());
    const before = allOn(world).length;
    world.terminate(1);
    await world.workFor(minutes(3));
    const during = conditionsOn(world);
    await world.work();

    expect(world.told("pass-started").length).toBeGreaterThan(2);
    const own = { status: "True", lastTransitionTime: expect.any(String) };
    expect(during).toEqual([
      {
        ...own,
        type: "DrainInProgress",
        reason: "AdminRequested",
        message: "eks-node-lifecycle: the node is drained",
      },
    ]);
    expect(conditionsOn(world)).toMatchObject([
      { ...own, type: "Drained", reason: "DrainCompleted" },
    ]);
    expect(allOn(world)).toHaveLength(before + 1);
    expect(patches(world)).toHaveLength(2);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });

  it("stay away unless the deployment wants them, and no request goes to the status of a node", async () => {
    const world = aWorld({ settings: { DRAIN_CONDITIONS: "off" } });
    world.terminate(1);
    await world.work();

    expect(conditionsOn(world)).toEqual([]);
    expect(patches(world)).toEqual([]);
  });

  it("stay away in a dry run", async () => {
    const world = aWorld({ settings: { DRAIN_MODE: "dry-run" } });
    world.terminate(1);
    await world.work();

    expect(patches(world)).toEqual([]);
  });

  it("are taken back with the mark of a node that stays", async () => {
    const world = aWorld({ settings: { EVENT_REBALANCE: "drain" } });
    recommend(world);
    await world.work(minutes(50));
    const drained = typesOn(world);
    await world.work(hours(3));

    expect(drained).toEqual(["Drained"]);
    expect(world.told("mark-undone")).toHaveLength(1);
    expect(typesOn(world)).toEqual([]);
  });

  it("leave out a node that is only cordoned", async () => {
    const world = aWorld();
    recommend(world);
    await world.work(minutes(30));

    expect(world.told("node-cordoned")).toHaveLength(1);
    expect(typesOn(world)).toEqual([]);
  });

  it("announce planned work from its notice on, and its drain beside it", async () => {
    const world = aWorld();
    announce(world);
    await world.workFor(hours(1));
    const announced = conditionsOn(world);
    await world.work(days(3));

    expect(announced).toMatchObject([
      {
        type: "MaintenancePlanned",
        reason: "MaintenanceWindow",
        message: expect.stringMatching(/^eks-node-lifecycle: AWS works on its host from 2026-/),
      },
    ]);
    expect(world.told("maintenance-planned")).toHaveLength(1);
    expect(typesOn(world).toSorted()).toEqual(["Drained", "MaintenancePlanned"]);
  });

  it("announce the end of a Capacity Block while its nodes are drained", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1] });
    tellOfBlock(world);
    await world.work();

    const [planned] = conditionsOn(world).filter(({ type }) => type === "MaintenancePlanned");
    expect(planned).toMatchObject({
      reason: "MaintenanceWindow",
      message: expect.stringMatching(
        /^eks-node-lifecycle: EC2 ends the instances of its Capacity Block from 2026-/,
      ),
    });
    expect(typesOn(world).toSorted()).toEqual(["Drained", "MaintenancePlanned"]);
  });

  it("say no more of planned work that AWS calls off", async () => {
    const world = aWorld();
    announce(world);
    await world.workFor(hours(1));
    world.pass(minutes(1));
    announce(world, { event: retirement, status: "closed" });
    await world.workFor(hours(1));

    expect(world.told("maintenance-planned").map(({ starts }) => starts !== "")).toEqual([
      true,
      false,
    ]);
    expect(typesOn(world)).toEqual([]);
  });

  it("of others stay as they are, and keep ours of their type away", async () => {
    const world = aWorld();
    const theirs = { type: "DrainInProgress", status: "True", reason: "AdminRequested" } as const;
    const lastTransitionTime = "2026-11-20T09:00:00Z";
    const message = "kubectl drain";
    changeNode(world, 1, (node) => ({
      ...node,
      status: {
        ...node.status,
        conditions: [...allOn(world), { ...theirs, lastTransitionTime, message }],
      },
    }));
    world.terminate(1);
    await world.work();

    expect(conditionsOn(world)).toMatchObject([{ ...theirs, message }, { type: "Drained" }]);
    expect(patches(world)).toHaveLength(1);
  });

  it("hold no drain where they may not be written, and the log says so once a pass", async () => {
    const world = aWorld();
    world.faults = failing(/^patch nodes\/status/, refusal(403, "no"));
    world.terminate(1);
    await world.work();

    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    const warned = world.told("warning").filter(({ about }) => about.startsWith("conditions"));
    expect(warned).toMatchObject([{ about: `conditions of node ${nodeOf(1)}` }]);
  });

  it("come with the next pass where a process dies before it has written them", async () => {
    const world = blocked(aWorld());
    let deaths = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("patch nodes/status") || deaths > 0) return well;
      deaths += 1;
      return { kind: "death", moment: "before" };
    };
    world.terminate(1);
    await world.workFor(minutes(3));

    expect(deaths).toBe(1);
    expect(typesOn(world)).toEqual(["DrainInProgress"]);
  });

  it("keep what an agent reports while they are written", async () => {
    const world = blocked(aWorld());
    const ill = {
      type: "KernelReady",
      status: "False",
      reason: "SoftLockup",
      message: "",
    } as const;
    let writes = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("patch nodes/status")) return well;
      writes += 1;
      if (writes === 1) world.cluster.setCondition(nodeOf(1), ill);
      return well;
    };
    world.terminate(1);
    await world.workFor(minutes(3));

    expect(writes).toBe(2);
    expect(typesOn(world)).toEqual(["DrainInProgress"]);
    expect(allOn(world)).toContainEqual(expect.objectContaining(ill));
  });

  it("say no more of a drain whose time is up", async () => {
    const world = aWorld({ settings: { DRAIN_FORCE: "never" } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.terminate(1);
    await world.workFor(minutes(3));
    const during = typesOn(world);
    await world.work();

    expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
    expect([during, typesOn(world)]).toEqual([["DrainInProgress"], []]);
  });

  it("are kept by a node of an upgrade until its instance ends", async () => {
    const world = new UpgradeWorld({ size: 1, settings: on });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.start({ afterDrain: minutes(30) });
    await world.work(minutes(20));

    expect(world.told("upgrade-nodes").map(({ deed }) => deed)).toContain("drained");
    expect(typesOn(world)).toEqual(["Drained"]);
  });

  it("are those of the other nodes of an upgrade too where the API server takes none of one node", async () => {
    const world = new UpgradeWorld({ size: 3, settings: on });
    deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
    world.faults = failing(new RegExp(`^patch nodes/status ${nodeOf(1)}`), refusal(422, "no"));
    world.start({ maxUnavailable: { kind: "count", value: 3 }, surge: 3, afterDrain: minutes(30) });
    await world.work(minutes(20));

    expect([1, 2, 3].map((index) => typesOn(world, index))).toEqual([[], ["Drained"], ["Drained"]]);
    const warned = world.told("warning").filter(({ about }) => about.startsWith("conditions"));
    expect(new Set(warned.map(({ about }) => about))).toEqual(
      new Set([`conditions of node ${nodeOf(1)}`]),
    );
  });

  it("are those of upgrades too: drained, and taken back from nodes that an abort opens", async () => {
    const world = new UpgradeWorld({ size: 3, settings: on });
    deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.start({ drainTimeout: minutes(60) });
    await world.work(minutes(10));
    const during = [1, 2, 3].flatMap((index) => typesOn(world, index));
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.work();

    expect(during).toEqual(["DrainInProgress"]);
    expect(world.traces).toEqual([]);
    expect([1, 2, 3].flatMap((index) => typesOn(world, index))).toEqual([]);
  });
});
