import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import { nodeNow } from "../world/change.ts";
import { changeState, interrupt, recommend, tellOfHold } from "../world/ec2-events.ts";
import { completionsIn, deletionsIn, endingsIn, evictedIn, writtenIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";

/** Two pods, which a budget may hold for ever. */
function aWorld(budget: "free" | "held"): VirtualWorld {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 2 } });
  if (budget === "held") world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

const kinds = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome.kind);

/** What the mark of the first node says in the end. */
function markOn(world: VirtualWorld) {
  const { annotations = {} } = nodeNow(world, 1).metadata;
  return {
    reason: annotations["eks-node-lifecycle/reason"],
    deadline: annotations["eks-node-lifecycle/deadline"],
  };
}

const afterStart = (begun: Instant, at: Instant | undefined): number =>
  between(begun, at ?? begun) / 1000;

/** Lets the function work on all notices, also on those that come when it has no other. */
async function workOnAll(world: VirtualWorld): Promise<void> {
  for (let second = 0; second < 60; second += 1) {
    await world.work();
    world.pass(seconds(1));
  }
}

function expectOneCompletion(world: VirtualWorld): void {
  expect(completionsIn(world)).toBe(1);
  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  expect(namesOn(world, 1)).toEqual([]);
  expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  expect(world.aws.sqs.findQueue("dead-letters").contents()).toEqual([]);
}

describe("a hook and a Spot interruption of one instance", () => {
  it("that come at once mark the node once, evict each pod, and complete the hook once", async () => {
    const world = aWorld("free");
    interrupt(world);
    await world.drain();
    expectOneCompletion(world);
    expect(markOn(world)).toEqual({ reason: "interrupted", deadline: "2026-11-20T10:01:45.000Z" });
    expect(world.told("node-marked")).toHaveLength(1);
    expect(world.told("mark-tightened").length).toBeLessThanOrEqual(1);
    expect(evictedIn(world)).toHaveLength(2);
  });

  it("are one drain where the hook comes once pods are leaving: none is asked twice", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", annotations: { "hollow/term-seconds": "20" }, on: { 1: 3 } });
    interrupt(world);
    world.in(seconds(3), () => world.terminate(1));
    await world.work();
    expectOneCompletion(world);
    expect(evictedIn(world)).toHaveLength(3);
    expect(world.told("mark-tightened")).toEqual([]);
  });

  it("end at once where the hook finds the node drained", async () => {
    const world = aWorld("free");
    interrupt(world);
    await world.work();
    world.pass(seconds(20));
    const before = writtenIn(world).length;
    const held = world.timeline.now();
    await world.drain();
    expectOneCompletion(world);
    expect(writtenIn(world).slice(before)).toEqual([]);
    expect(between(held, world.told("hook-completed")[0]?.at ?? held)).toBeLessThan(seconds(2));
    expect(world.told("notice-done").at(-1)?.outcome.kind).toBe("drained");
  });

  it("end by the nearer deadline where the interruption comes in the middle of the hook's drain", async () => {
    const world = aWorld("held");
    const begun = world.timeline.now();
    world.in(minutes(3), () => interrupt(world));
    await world.drain();
    expectOneCompletion(world);
    for (const { at } of deletionsIn(world)) expect(afterStart(begun, at)).toBe(180 + 75.001);
    expect(world.told("mark-tightened")).toMatchObject([
      { reason: "interrupted", deadline: "2026-11-20T10:04:45.000Z" },
    ]);
    expect(afterStart(begun, world.told("hook-completed")[0]?.at)).toBeLessThan(180 + 120);
  });
});

describe("the hold of one instance that EventBridge tells of as well", () => {
  it.each([0, 2, 40])("completes the hook once, with one token (%i s apart)", async (apart) => {
    const world = aWorld("free");
    world.in(seconds(apart), () => tellOfHold(world));
    await world.drain(minutes(30));
    expectOneCompletion(world);
    expect(evictedIn(world)).toHaveLength(2);
  });

  it("goes on when Spot and a stop are told of too, and a pod is asked only until it leaves", async () => {
    const world = aWorld("free");
    recommend(world);
    world.in(seconds(1), () => interrupt(world));
    world.in(seconds(2), () => world.terminate(1));
    world.in(seconds(2.5), () => tellOfHold(world));
    world.in(seconds(3), () => changeState(world, "shutting-down"));
    await workOnAll(world);
    expectOneCompletion(world);
    expect(evictedIn(world)).toHaveLength(2);
    expect(kinds(world).filter((kind) => kind === "expired")).toEqual([]);
  });
});

type Told = readonly [name: string, tell: (world: VirtualWorld) => void, deadline: number];

const told: readonly Told[] = [
  ["hook", (world) => world.terminate(1), 900],
  ["spot", (world) => interrupt(world), 105],
  ["stopping", (world) => changeState(world, "stopping"), 60],
];

const orders = told.flatMap((first) =>
  told
    .filter((second) => second !== first)
    .flatMap((second) =>
      told
        .filter((third) => third !== first && third !== second)
        .map((third) => [first, second, third] as const),
    ),
);

describe("of a hook, an interruption and a stop", () => {
  it.each(
    orders.flatMap((order) =>
      [seconds(0), seconds(2), seconds(17)].map((apart): [string, Duration, readonly Told[]] => [
        order.map(([name]) => name).join(", "),
        apart,
        order,
      ]),
    ),
  )("in the order %s (%d ms apart) the nearest deadline wins", async (_, apart, order) => {
    const world = aWorld("held");
    const begun = world.timeline.now();
    for (const [index, [, tell]] of order.entries())
      world.in(milliseconds(apart * index), () => tell(world));
    await workOnAll(world);
    expectOneCompletion(world);
    const nearest = Math.min(
      ...order.map(([, , deadline], index) => deadline + (apart * index) / 1000),
    );
    for (const { at } of deletionsIn(world))
      expect(afterStart(begun, at)).toBeLessThanOrEqual(nearest);
    const { deadline = "" } = markOn(world);
    expect((Date.parse(deadline) - begun) / 1000).toBe(nearest);
  });
});
