import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import { completionsIn, endingsIn, evictedIn, outcomesIn, took } from "../world/evidence.ts";
import { faultsOf } from "../world/planned-faults.ts";
import { ordersOf, planned } from "../world/planned-world.ts";
import { anyPlan, type Plan, type PlannedPeer, type PlannedPods } from "../world/random-plan.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { Witness } from "../world/witness.ts";
import { podsOn } from "../world/workloads.ts";

// `RANDOM_WORLDS=5000` tries more worlds.
const { RANDOM_WORLDS = "300" } = process.env;
const numRuns = Number(RANDOM_WORLDS);

async function drain(plan: Plan) {
  const { peer } = plan;
  const world = planned(plan);
  const witness = new Witness(world, ordersOf(plan));
  const faults = faultsOf(plan);
  world.faults = (request) => {
    const fault = faults.decide(request);
    witness.see(request, fault);
    return fault;
  };
  const begins = later(world.timeline.now(), seconds(peer === "none" ? 0 : peer.after));
  terminateAll(world, plan);
  await world.work();
  await takeUp(world, begins);
  const spare = milliseconds(faults.cost() + volumeTime(plan) + settleTime(plan));
  return { world, complaints: [...witness.complaints, ...witness.late(spare)] };
}

/** Terminates the instances of a plan, each in its time. */
function terminateAll(world: VirtualWorld, { peer }: Plan): void {
  if (peer !== "none" && peer.after === 0) terminateSecond(world, peer);
  world.terminate(1);
  if (peer !== "none" && peer.after > 0)
    world.in(seconds(peer.after), () => terminateSecond(world, peer));
}

function terminateSecond(world: VirtualWorld, { late }: PlannedPeer): void {
  world.terminate(2);
  if (late > 0) world.withhold(seconds(late));
}

/** How long the volumes of a plan may take to detach once its pods are gone. */
const volumeTime = ({ pods }: Plan): Duration =>
  pods.some(({ kind }) => kind.endsWith("volume")) ? minutes(3) : seconds(0);

/** How long the mark of an empty node settles that somebody has opened shortly before the deadline: the drain waits for that. */
const settleTime = ({ deeds }: Plan): Duration =>
  deeds.some(({ what }) => what === "uncordon") ? seconds(5) : seconds(0);

/** Works on the drains that begin after the first has ended. */
async function takeUp(world: VirtualWorld, begins: Instant): Promise<void> {
  if (world.timeline.now() >= begins) return;
  world.pass(between(world.timeline.now(), begins));
  await world.work();
}

describe("in any world, whatever goes wrong, a drain", { timeout: 600_000 }, () => {
  it("releases its instance once and in time, and hurts no pod that it should not", async () => {
    const holds = fc.asyncProperty(anyPlan, async (plan) => {
      const { world, complaints } = await drain(plan);
      expect(complaints).toEqual([]);
      expectReleased(world, plan.peer === "none" ? 1 : 2);
    });
    await fc.assert(holds, { numRuns });
  });
});

/** A pod that no eviction can ask to go, whose grace is longer than its whole drain. */
const inTwoBudgets: PlannedPods = {
  kind: "ordinary",
  count: 1,
  on: 1,
  grace: 300,
  ending: 7,
  health: "ready",
  budget: 1,
  budgets: 2,
  finalizers: "none",
};

const withoutForce: Plan = {
  pods: [inTwoBudgets],
  timeout: 120,
  force: "never",
  concurrency: 20,
  taint: "",
  heartbeat: 1800,
  budgets: "observed",
  peer: "none",
  deeds: [],
  troubles: [],
  seed: 1,
};

describe("a pod in two budgets, whose grace is longer than its drain, which forces nobody", () => {
  it("runs on until the drain ends at its deadline, which names both budgets", async () => {
    const { world, complaints } = await drain(withoutForce);
    expect(complaints).toEqual([]);
    expectReleased(world, 1);
    expect(evictedIn(world)).toEqual([]);
    const [pod] = podsOn(world, 1);
    expect(pod?.metadata.name).toBe("ordinary-0-1");
    expect(pod?.metadata.deletionTimestamp).toBeUndefined();
    const [outcome] = outcomesIn(world);
    expect(outcome).toMatchObject({ kind: "expired", left: [{ about: "default/ordinary-0-1" }] });
    expect(JSON.stringify(outcome)).toContain("default/ordinary-0-1, default/ordinary-0-2");
    expect(took(world)).toBe(seconds(120));
  });
});

describe("a drain that forces nobody, whose node somebody opens twice in its second half", () => {
  it("ends at its own deadline, and is not late", async () => {
    const deeds = [193, 225].map((after) => ({ after, to: 1, what: "uncordon" }) as const);
    const { world, complaints } = await drain({ ...withoutForce, timeout: 300, deeds });
    expect(complaints).toEqual([]);
    expectReleased(world, 1);
    expect(world.told("node-marked")).toHaveLength(3);
    expect(outcomesIn(world)[0]).not.toHaveProperty("late");
    expect(took(world)).toBe(seconds(300));
  });
});

describe("a random world", { timeout: 600_000 }, () => {
  it("takes the same course every time", async () => {
    const same = fc.asyncProperty(anyPlan, async (plan) => {
      expect(await courseOf(plan)).toEqual(await courseOf(plan));
    });
    await fc.assert(same, { numRuns: Math.ceil(numRuns / 10) });
  });
});

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The journal of a world, and its requests; AWS makes up new identifiers every time. */
async function courseOf(plan: Plan): Promise<readonly string[]> {
  const { entries, requests } = (await drain(plan)).world;
  const course = [...entries, ...requests.map(({ at, what }) => ({ at, what }))];
  return course.map((one) => JSON.stringify(one).replaceAll(uuid, "UUID"));
}

function expectReleased(world: VirtualWorld, count: number): void {
  expect(endingsIn(world)).toEqual(Array.from({ length: count }, () => "CONTINUE by call"));
  expect(completionsIn(world)).toBe(count);
  expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  expect(world.aws.sqs.findQueue("dead-letters").contents()).toEqual([]);
  expect(Math.max(...world.told("pass-started").map(({ receives }) => receives))).toBeLessThan(
    1000,
  );
  const codes = world.told("fault").map(({ code }) => code);
  expect(codes).not.toContain("internal.unexpected");
}
