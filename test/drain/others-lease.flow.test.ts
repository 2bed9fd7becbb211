import { describe, expect, it } from "vitest";
import { nodeUid } from "../../lambda/base/ids.ts";
import {
  between,
  type Instant,
  instant,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { leaseAnnotation } from "../../lambda/drain/eviction-lease.ts";
import { SharedSightings } from "../../lambda/process/shared-sightings.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { changeNode } from "../world/change.ts";
import { evictionsIn, outcomesIn } from "../world/evidence.ts";
import { atTerminal, command } from "../world/terminal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";

const turnTo = (world: VirtualWorld, until: Instant): void =>
  changeNode(world, 1, ({ metadata, ...node }) => {
    const lease = { [leaseAnnotation]: `somebody ${timestamp(until)}` };
    return {
      ...node,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...lease } },
    };
  });

/** How long after its begin a drain at a terminal evicts first, where another process has left its lease. */
async function firstEviction(leftover: number): Promise<number> {
  const world = new VirtualWorld({ work: atTerminal() });
  deploy(world, { name: "web", on: { 1: 2 } });
  const begun = world.timeline.now();
  turnTo(world, later(begun, seconds(leftover)));
  await command(world);
  expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }, { kind: "drained" }]);
  return between(begun, evictionsIn(world)[0]?.at ?? begun) / 1000;
}

describe("the lease of another process", () => {
  it("is waited for to its end", async () => {
    expect(await firstEviction(12)).toBeGreaterThanOrEqual(12);
    expect(await firstEviction(12)).toBeLessThan(18);
  });

  it.each([30, 62, 600, 86_400])(
    "that lies %i s ahead is waited for as long as a lease lasts, once, however many passes a drain has meanwhile",
    async (leftover) => {
      const waited = await firstEviction(leftover);
      expect(waited).toBeGreaterThanOrEqual(20);
      expect(waited).toBeLessThanOrEqual(26);
    },
  );

  it("counts anew when its process takes another", async () => {
    const world = new VirtualWorld({ work: atTerminal() });
    deploy(world, { name: "web", on: { 1: 2 } });
    const begun = world.timeline.now();
    for (const after of [0, 15, 30])
      world.in(seconds(after), () => turnTo(world, later(begun, minutes(10 + after))));
    world.pass(seconds(0));
    await command(world);
    const [first] = evictionsIn(world);
    expect(between(begun, first?.at ?? begun)).toBeGreaterThanOrEqual(seconds(50));
  });
});

describe("a pod that is out of time", () => {
  /** A drain of a minute, during which another process takes lease after lease. */
  async function drainBehind(
    free: (world: VirtualWorld) => void,
    more: Readonly<Record<string, string>> = {},
  ): Promise<VirtualWorld> {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60", ...more } });
    const spec = { terminationGracePeriodSeconds: 10 };
    deploy(world, { name: "web", spec, on: { 1: 1, 2: 1 } });
    free(world);
    world.pass(seconds(10));
    world.terminate(1);
    const begun = world.timeline.now();
    turnTo(world, later(begun, seconds(20)));
    for (let after = 5; after < 60; after += 5)
      world.in(seconds(after), () => turnTo(world, later(begun, seconds(after + 20))));
    await world.work();
    return world;
  }

  it("is evicted though another process has the lease, with what is left of its grace", async () => {
    const world = await drainBehind(() => undefined);
    const begun = world.aws.autoScaling.actions()[0]?.startedAt ?? instant(0);
    const [first, ...others] = evictionsIn(world);
    expect(others).toEqual([]);
    const after = between(begun, first?.at ?? begun) / 1000;
    expect(after).toBeGreaterThanOrEqual(50);
    expect(after).toBeLessThan(52);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });

  it("is left where the drain may not force, and the outcome says which process had the lease", async () => {
    const world = await drainBehind(() => undefined, { DRAIN_FORCE: "never" });
    expect(evictionsIn(world)).toEqual([]);
    const why = expect.stringContaining("because another process has the eviction lease until");
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired", left: [{ why }] }]);
  });

  it("is deleted as well where its budget holds it", async () => {
    const world = await drainBehind(({ cluster }) =>
      cluster.addBudget({ name: "web", maxUnavailable: 0 }),
    );
    expect(evictionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
  });
});

describe("what a process has seen", () => {
  const [a, b] = [nodeUid("a"), nodeUid("b")];
  const sighted = () => {
    const timeline = new VirtualTimeline(instant(0));
    return { timeline, first: timeline.now(), sightings: new SharedSightings(timeline) };
  };

  it("is known since it first saw it, until something else is said", () => {
    const { timeline, first, sightings } = sighted();
    expect(sightings.since(a, "Ready", "one")).toBe(first);
    timeline.pass(seconds(5));
    const later5 = later(first, seconds(5));
    expect(sightings.since(a, "Ready", "one")).toBe(first);
    expect(sightings.since(b, "Ready", "one")).toBe(later5);
    expect(sightings.since(a, "KernelReady", "one")).toBe(later5);
    expect(sightings.since(a, "Ready", "two")).toBe(later5);
  });

  it("is forgotten of the node of thousands that it has not looked at for longest", () => {
    const { timeline, first, sightings } = sighted();
    const look = (index: number) => sightings.since(nodeUid(`${index}`), "Ready", "one");
    for (let index = 0; index < 5000; index += 1) look(index);
    timeline.pass(seconds(5));
    expect(look(0)).toBe(first);
    look(5000);
    expect(look(0)).toBe(first);
    expect(look(1)).toBe(later(first, seconds(5)));
  });

  it("is known of a thousand nodes with ten conditions each, and one with thousands makes it forget no other", () => {
    const { timeline, first, sightings } = sighted();
    const look = (index: number) =>
      Array.from({ length: 10 }, (_, at) => sightings.since(nodeUid(`${index}`), `c${at}`, "one"));
    const all = () => Array.from({ length: 1000 }, (_, index) => look(index)).flat();
    all();
    for (let at = 0; at < 5000; at += 1) sightings.since(a, `c${at}`, "one");
    timeline.pass(seconds(5));
    expect(new Set(all())).toEqual(new Set([first]));
    expect(sightings.since(a, "c0", "one")).toBe(later(first, seconds(5)));
  });
});
