import { describe, expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { between, type Duration, instant, seconds } from "../../lambda/base/time.ts";
import type { DrainEntry } from "../../lambda/drain/drain-entry.ts";
import { HoldWatch } from "../../lambda/report/hold-watch.flow.ts";
import type { HeardEntry } from "../../lambda/report/reported-entry.ts";
import { start } from "../support/aws-account.ts";
import { changeBudget } from "../world/change.ts";
import { eventsIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy } from "../world/workloads.ts";

/** A budget that lets no pod of its Deployment go, on the node that is drained. */
function hold(world: VirtualWorld, name: string, spec = {}): void {
  deploy(world, { name, spec, on: { 1: 2 } });
  world.cluster.addBudget({ name, maxUnavailable: 0 });
}

const letGo = (world: VirtualWorld, name: string, after: Duration): void =>
  world.in(after, () => changeBudget(world, name, { maxUnavailable: "100%" }));

/** Drains the node; returns how many seconds after the begin something is. */
async function drained(world: VirtualWorld): Promise<(at: number) => number> {
  world.pass(seconds(10));
  const begun = world.timeline.now();
  await world.drain();
  return (at) => Math.floor(between(begun, instant(at)) / 1000);
}

const holdReasons = ["WaitingForBudget", "EvictionBlocked"];

/** The Events of holds, and what they are about, in the order of their names. */
const heldIn = (world: VirtualWorld) =>
  eventsIn(world)
    .filter(({ reason }) => holdReasons.includes(reason))
    .map(({ reason, regarding, series }) =>
      [reason, regarding.kind, ...(series ? [`x${series.count}`] : [])].join(" "),
    )
    .toSorted();

const notesIn = (world: VirtualWorld): readonly string[] =>
  eventsIn(world).flatMap(({ reason, note }) => (reason === "WaitingForBudget" ? [note] : []));

/** When the requests were sent that tell of holds: those after the Event of the start and before that of the end. */
const toldAt = (world: VirtualWorld): readonly number[] =>
  world.requests
    .filter(({ what }) => / events\b/.test(what))
    .map(({ at }) => at)
    .slice(1, -1);

it("a pass that is over waits for no hold", () => {
  let waits = 0;
  const sleep = () => {
    waits += 1;
    return new Promise<void>(() => undefined);
  };
  const watch = new HoldWatch({ now: () => start, sleep }, () => undefined);
  watch.end();
  const held: HeardEntry<DrainEntry> = {
    kind: "pods-held",
    node: nodeName("node-1"),
    pods: ["default/web-1"],
    owners: [],
    budget: "default/web",
    healthy: 1,
    desired: 1,
    allowed: 0,
    at: start,
  };
  watch.hear(held);
  expect(waits).toBe(0);
});

describe("the Events of budgets that hold pods", () => {
  it("are none of a hold of three seconds, which the journal tells of at once", async () => {
    const world = new VirtualWorld();
    hold(world, "web");
    letGo(world, "web", seconds(13));
    const since = await drained(world);
    expect(world.told("pods-held").map(({ at }) => since(at))).toEqual([0]);
    expect(world.told("pods-freed").map(({ at }) => since(at))).toEqual([3]);
    expect(heldIn(world)).toEqual([]);
  });

  it("are told of a hold of thirty seconds after ten: one at the node for all budgets, and one at each controller", async () => {
    const world = new VirtualWorld();
    for (const name of ["api", "web"]) {
      hold(world, name);
      letGo(world, name, seconds(40));
    }
    const since = await drained(world);
    expect(heldIn(world)).toEqual([
      "EvictionBlocked ReplicaSet",
      "EvictionBlocked ReplicaSet",
      "WaitingForBudget Node",
    ]);
    expect(toldAt(world).map(since)).toEqual([10, 10, 10]);
    expect(notesIn(world)).toEqual([
      "2 budgets hold 4 pods: default/api (2 healthy of 2 desired, 0 disruptions allowed), default/web (2 healthy of 2 desired, 0 disruptions allowed)",
    ]);
    // The story of the node stays in its order, though the Event is recorded later.
    const waiting = eventsIn(world).find(({ reason }) => reason === "WaitingForBudget");
    expect(since(Date.parse(waiting?.eventTime ?? ""))).toBe(0);
  });

  it("tell at the end of a pass of a hold that has only begun, and add to its series in the next pass", async () => {
    const world = new VirtualWorld();
    hold(world, "web");
    hold(world, "dns", critical); // held once the others are gone
    letGo(world, "web", seconds(55));
    letGo(world, "dns", seconds(90));
    const since = await drained(world);
    const [first] = world.told("pass-ended");
    const begun = world.told("pods-held").find(({ budget }) => budget === "default/dns");
    expect(since(first?.at ?? 0) - since(begun?.at ?? 0)).toBeLessThan(8);
    expect(heldIn(world)).toEqual([
      "EvictionBlocked ReplicaSet",
      "EvictionBlocked ReplicaSet x2",
      "WaitingForBudget Node",
      "WaitingForBudget Node x2",
    ]);
  });

  it("tell with a hold those that began within five seconds of it, and of later ones by themselves", async () => {
    const world = new VirtualWorld();
    hold(world, "web");
    world.in(seconds(14), () => hold(world, "soon"));
    world.in(seconds(17), () => hold(world, "later"));
    for (const name of ["web", "soon", "later"]) letGo(world, name, seconds(45));
    const since = await drained(world);
    expect(
      notesIn(world)
        .map((note) => note.replaceAll(/ \(.*?\)/g, ""))
        .toSorted(),
    ).toEqual([
      "2 budgets hold 4 pods: default/web, default/soon",
      "budget default/later holds 2 pods: default/later-1, default/later-2",
    ]);
    expect(toldAt(world).map(since)).toEqual([10, 10, 10, 18, 18]);
  });

  it("name the pods that are still held", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 20 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    const since = await drained(world);
    const [note = ""] = notesIn(world);
    const gone = world.told("pods-freed").flatMap(({ at, pods }) => (since(at) < 10 ? pods : []));
    const [held] = world.told("pods-held");
    expect(gone.length).toBeGreaterThan(0);
    expect(note).toContain(` holds ${(held?.pods.length ?? 0) - gone.length} pods: `);
  });

  it("tell of a budget once at the node in a pass, and at each controller whose pods it begins to hold", async () => {
    const world = new VirtualWorld();
    hold(world, "web");
    const join = (name: string) => () =>
      deploy(world, { name, labels: { app: "web", of: name }, on: { 1: 2 } });
    world.in(seconds(13), join("soon"));
    world.in(seconds(25), join("late"));
    letGo(world, "web", seconds(50));
    const since = await drained(world);
    expect(heldIn(world)).toEqual([
      "EvictionBlocked ReplicaSet",
      "EvictionBlocked ReplicaSet",
      "EvictionBlocked ReplicaSet",
      "WaitingForBudget Node",
    ]);
    expect(toldAt(world).map(since)).toEqual([10, 10, 10, 30]);
  });
});
