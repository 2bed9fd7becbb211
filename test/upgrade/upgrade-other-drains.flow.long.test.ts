import { describe, expect, it } from "vitest";
import { between, minutes, never, seconds } from "../../lambda/base/time.ts";
import { reasonAnnotation } from "../../lambda/drain/cause.ts";
import type { Change } from "../../sandbox/kubernetes/change-log.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { interrupt, recommend } from "../world/ec2-events.ts";
import { well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

/** What happens to the node with this number. */
type Event = (world: UpgradeWorld, index: number) => void;

/** A world in the middle of an upgrade, and what has become of its first node since the event. */
interface Held {
  readonly world: UpgradeWorld;
  /** The reasons that its mark has told, in their order. */
  readonly reasons: string[];
  /** What it told when it was opened to pods. */
  readonly opened: string[];
}

/** A group of which a budget holds every pod, and an event four minutes into the turn of five of its first node. */
function aHeldWorld(event: Event, drainTimeout = minutes(5), settings = {}): Held {
  const world = new UpgradeWorld({ size: 2, settings });
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  const held: Held = { world, reasons: [], opened: [] };
  let isBegun = false;
  world.faults = ({ what, body }) => {
    const index = [1, 2].find((one) => what === `patch nodes ${nodeOf(one)}`);
    if (isBegun || index === undefined || !body.includes("upgrade-turn")) return well;
    isBegun = true;
    follow(held, nodeOf(index));
    world.in(minutes(4), () => event(world, index));
    return well;
  };
  world.start({ drainTimeout, cordon: "one-by-one" });
  return held;
}

function follow({ world, reasons, opened }: Held, name: string): void {
  const isOfNode = ({ resource, after }: Change) =>
    resource === nodes && after?.metadata.name === name;
  world.cluster.store.subscribe((change) => {
    if (!isOfNode(change)) return;
    const { before, after } = change;
    const [was, is] = [reasonOn(before), reasonOn(after)];
    if (is !== was && is !== "") reasons.push(is);
    if (isClosed(before) && !isClosed(after)) opened.push(was);
  });
}

const reasonOn = (node: Change["after"]): string =>
  node?.metadata.annotations?.[reasonAnnotation] ?? "";

const isClosed = (node: Change["after"]): boolean =>
  (node as Node | undefined)?.spec.unschedulable === true;

const blockedIn = ({ world }: Held) =>
  world.told("upgrade-nodes").filter(({ deed }) => deed === "blocked");

describe("an upgrade that gives up a node while another drain works on it", () => {
  const spot: Event = (world, index) => interrupt(world, instanceOf(index));

  it("leaves it closed to a Spot interruption that ends later than its turn", async () => {
    const held = aHeldWorld(spot);
    await held.world.work(minutes(30));

    expect(blockedIn(held).length).toBeGreaterThan(0);
    expect(held.reasons.slice(0, 2)).toEqual(["upgraded", "interrupted"]);
    expect(held.opened).toEqual([]);
  });

  it("leaves the interruption all of its time", async () => {
    const { world } = aHeldWorld(spot);
    await world.work(minutes(30));

    const [warned, forced] = [world.told("mark-tightened")[0], world.told("pod-deleted")[0]];
    expect(between(warned?.at ?? never, forced?.at ?? never)).toBeGreaterThan(minutes(1));
  });

  it("leaves it closed to the hook of its group, also when it puts everything back", async () => {
    const held = aHeldWorld((world, index) => {
      world.terminate(index);
      world.in(seconds(20), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    });
    await held.world.work(minutes(10));

    expect(held.world.told("upgrade-nodes").map(({ deed }) => deed)).toContain("restored");
    expect(held.reasons).toEqual(["upgraded", "terminating"]);
    expect(held.opened).toEqual([]);
  });
});

describe("another drain that takes its mark off a node in the turn of an upgrade", () => {
  it("leaves the node closed, and the upgrade opens it once it gives it up", async () => {
    const held = aHeldWorld(() => undefined, minutes(75));
    for (const index of [1, 2]) recommend(held.world, instanceOf(index));
    await held.world.work(minutes(50));
    expect(held.reasons).toEqual([]);

    await held.world.work(minutes(20));
    expect(held.reasons).toEqual(["upgraded"]);
    // That of the node whose turn has not come.
    expect(held.world.told("mark-undone")).toHaveLength(1);
    expect(held.opened).toEqual([]);
    await held.world.work(minutes(20));
    expect(blockedIn(held)).toHaveLength(1);
    expect(held.opened).toEqual(["upgraded"]);
  });
});

describe("another drain that gives up in the turn of an upgrade", () => {
  it("does not have the upgrade end the node as drained", async () => {
    const settings = { EVENT_REBALANCE: "drain", DRAIN_TIMEOUT_SECONDS: "300" };
    const { world } = aHeldWorld(() => undefined, minutes(60), settings);
    for (const index of [1, 2]) recommend(world, instanceOf(index));
    await world.work(minutes(40));

    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toContain("expired");
    expect(world.told("upgrade-nodes").map(({ deed }) => deed)).toContain("chosen");
    expect(world.told("upgrade-terminated")).toEqual([]);
  });
});
