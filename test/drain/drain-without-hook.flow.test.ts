import { describe, expect, it } from "vitest";
import {
  between,
  hours,
  type Instant,
  instant,
  later,
  minutes,
  never,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { boundsAtStart } from "../../lambda/drain/drain-bounds.ts";
import { drainInstance } from "../../lambda/drain/drain-instance.flow.ts";
import { noticeWork } from "../../lambda/node-work.flow.ts";
import { podRemoval } from "../../sandbox/kubernetes/pod-lifecycle.ts";
import { changeNode, uncordon } from "../world/change.ts";
import { deletionsIn, evictionsIn, outcomesIn, took } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { account, instanceOf, type MakesWork, nodeOf } from "../world/world-options.ts";

const lengths = {
  toDeadline: minutes(10),
  toHeldUntil: minutes(12),
  leastTry: seconds(0),
  longestRest: seconds(40),
};

const longAgo = instant(Date.parse("2026-03-23T03:26:43Z"));

/** Drains an instance that EC2 interrupts: with limits of its own, and without a hook. */
const drainWithoutHook =
  (within: typeof lengths, before = 0): MakesWork =>
  (config, ports) => ({
    ...noticeWork(config, ports),
    async run({ content: notice, receives: received, firstReceived }, pass) {
      if (notice.kind !== "interrupted") throw new Error(`not expected: ${notice.kind}`);
      const now = ports.clock.now();
      const { settings } = config.drain.settingsFor({});
      const start = boundsAtStart({ notice, firstReceived }, within, now);
      const drained = {
        instance: notice.instance,
        reason: "interrupted",
        receives: before + received,
        keeper: { kind: "none" },
        peers: [],
      } as const;
      return drainInstance({ ...drained, settings, start, passEnds: later(now, pass) }, ports);
    },
  });

const aWorld = (
  within: Partial<typeof lengths> = {},
  settings: Readonly<Record<string, string>> = {},
): VirtualWorld =>
  new VirtualWorld({ work: drainWithoutHook({ ...lengths, ...within }), settings });

/** EC2 announces that it takes the first instance back. */
function interrupt(world: VirtualWorld, at: Instant = world.timeline.now()): void {
  world.aws.ec2.buy(instanceOf(1), "spot");
  world.send({
    version: "0",
    id: "1e5527d7-bb36-4607-3370-4164db56a40e",
    "detail-type": "EC2 Spot Instance Interruption Warning",
    source: "aws.ec2",
    account: account.id,
    time: timestamp(at),
    region: account.region,
    resources: [`arn:aws:ec2:${account.region}a:instance/${instanceOf(1)}`],
    detail: { "instance-id": instanceOf(1), "instance-action": "terminate" },
  });
}

/** Somebody writes to the node. */
const annotate = (world: VirtualWorld, busy: number): void =>
  changeNode(world, 1, ({ metadata, ...node }) => ({
    ...node,
    metadata: { ...metadata, annotations: { ...metadata.annotations, busy: String(busy) } },
  }));

/** Two pods that their budget holds for ever. */
function block(world: VirtualWorld): void {
  const annotations = { "hollow/term-seconds": "never" };
  deploy(world, { name: "web", annotations, on: { 1: 2 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
}

const drained = [{ kind: "drained", attached: [], stuck: [] }];

/** Expects that no call to Auto Scaling and no line of the journal mentions a hook. */
function expectNoHook(world: VirtualWorld): void {
  expect(world.requests.filter(({ what }) => what.startsWith("autoscaling"))).toEqual([]);
  expect(world.told("heartbeat")).toEqual([]);
  expect(world.told("hook-completed")).toEqual([]);
}

describe("a drain without a hook", () => {
  it("marks the node, evicts ordinary pods and then critical ones, and does not call Auto Scaling", async () => {
    const world = aWorld();
    deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
    deploy(world, { name: "web", on: { 1: 2 } });
    interrupt(world);
    await world.work();
    expect(world.told("node-marked")).toHaveLength(1);
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(
      ["web-1", "web-2", "coredns-1"].map((name) => `create pods/eviction ${name} 201`),
    );
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomesIn(world)).toEqual(drained);
    expectNoHook(world);
  });

  it("deletes the pods at its deadline that a budget has held over many passes", async () => {
    const world = aWorld();
    block(world);
    const deadline = later(world.timeline.now(), minutes(10));
    interrupt(world);
    await world.work();
    expect(deletionsIn(world).map(({ what, at }) => [what, between(at, deadline)])).toEqual([
      ["delete pods web-1 200", seconds(30) - 1],
      ["delete pods web-2 200", seconds(30) - 1],
    ]);
    expect(world.told("pass-started").length).toBeGreaterThan(5);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expectNoHook(world);
  });

  it("also ends at its deadline if force is switched off, and names the pods that are left", async () => {
    const world = aWorld({}, { DRAIN_FORCE: "never" });
    block(world);
    interrupt(world);
    await world.work();
    const held = { why: expect.stringMatching(/^held for .* by budget/) };
    expect(outcomesIn(world)).toEqual([
      {
        kind: "expired",
        left: [
          { about: "default/web-1", ...held },
          { about: "default/web-2", ...held },
        ],
      },
    ]);
    expect(took(world)).toBe(minutes(10));
    expectNoHook(world);
  });

  it("waits for the volumes of its pods, over several passes", async () => {
    const world = aWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(70) });
    interrupt(world);
    await world.work();
    expect(world.told("volumes-awaited")[0]).toMatchObject({ volumes: ["pv-data"] });
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(71) + podRemoval);
    expectNoHook(world);
  });

  it("does not wait for volumes longer than its instance exists", async () => {
    const world = aWorld({ toDeadline: minutes(1), toHeldUntil: seconds(80) });
    runWithVolume(world, { name: "data", node: 1, detaching: hours(24) });
    interrupt(world);
    await world.work();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(80));
  });

  it.each<[string, (start: Instant) => Instant]>([
    ["its notice's own time", (start) => start],
    ["the mark on the node where its notice was saved and sent again", () => longAgo],
  ])(
    "counts its time from %s, and no later or killed pass moves its deadline",
    async (_, since) => {
      const world = aWorld();
      block(world);
      const start = world.timeline.now();
      interrupt(world, since(start));
      world.dieIn(seconds(100));
      await world.work();
      expect(deletionsIn(world)[0]?.at).toBe(start + minutes(10) - seconds(30) + 1);
      expect(world.told("pass-started").length).toBeGreaterThan(5);
      expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
      expectNoHook(world);
    },
  );

  it("rests between its passes, but never longer than the longest rest", async () => {
    const world = aWorld({ toDeadline: hours(2), longestRest: seconds(100) });
    block(world);
    interrupt(world);
    await world.work(minutes(100));
    const waits = world.told("pass-ended").map(({ wait }) => wait);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds(5));
    expect(Math.max(...waits)).toBe(seconds(100));
    // A pass over a node that has stood still takes three seconds.
    expect(waits.length).toBeLessThan(70);
  });

  it.each([
    [0, seconds(25.25)],
    [250, seconds(30.25 + 40)],
  ])(
    "hands the notice back where others keep it from marking a node again, and first rests after 250 receives (%i so far)",
    async (before, handedBack) => {
      const world = new VirtualWorld({ work: drainWithoutHook(lengths, before) });
      block(world);
      interrupt(world);
      const start = world.timeline.now();
      world.in(seconds(15), () => uncordon(world, 1));
      world.faults = ({ what, at, number }) => {
        const isBusy = between(start, at) > seconds(15) && between(start, at) < seconds(31);
        if (what.startsWith("patch nodes") && isBusy) annotate(world, number);
        return well;
      };
      await world.work();
      const [, again] = world.told("pass-started");
      expect(between(start, again?.at ?? never)).toBe(handedBack);
      expect(outcomesIn(world)).toMatchObject([{ kind: expect.stringMatching(/drained|forced/) }]);
      expectNoHook(world);
    },
  );

  it("is tried again while nothing answers, and ends at its deadline with the fault", async () => {
    const world = aWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    const fault = refusal(500, "InternalError");
    world.faults = failing(/^(list|watch) pods/, fault);
    interrupt(world);
    await world.work();
    expect(outcomesIn(world)).toEqual([
      { kind: "expired", left: [{ about: "", why: expect.stringMatching(/^cluster\./) }] },
    ]);
    expect(world.told("fault").length).toBeGreaterThan(5);
    expect(world.told("fault").at(-1)?.at).toBe(world.told("notice-done")[0]?.at);
    expect(took(world)).toBeGreaterThanOrEqual(minutes(10));
    expect(took(world)).toBeLessThan(minutes(11));
    expectNoHook(world);
  });

  it("says that there is no node where the cluster has none", async () => {
    const world = aWorld();
    world.cluster.removeNode(nodeOf(1));
    interrupt(world);
    await world.work();
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expectNoHook(world);
  });
});
