import { describe, expect, it } from "vitest";
import {
  between,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import { deletePod } from "../world/change.ts";
import {
  billedIn,
  deletionsIn,
  endingsIn,
  evictionsIn,
  outcomesIn,
  took,
} from "../world/evidence.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const quarter = minutes(15);

/** Two pods that their budget holds for ever. */
function aBlockedWorld(
  settings: Readonly<Record<string, string>> = {},
  terminationGracePeriodSeconds = 30,
): VirtualWorld {
  const world = new VirtualWorld({ settings });
  const annotations = { "hollow/term-seconds": "never" };
  deploy(world, {
    name: "web",
    annotations,
    spec: { terminationGracePeriodSeconds },
    on: { 1: 2 },
  });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.pass(seconds(10));
  return world;
}

function terminate(world: VirtualWorld): Instant {
  world.terminate(1);
  return world.timeline.now();
}

describe("a pod that is held until the deadline", () => {
  it.each([2, 5, 30, 120, 450])(
    "with a grace of %i s is deleted when its grace just fits, by UID, with the time that is left",
    async (grace) => {
      const world = aBlockedWorld({}, grace);
      const start = terminate(world);
      await world.work();
      const deadline = start + quarter;
      const deletions = deletionsIn(world);
      expect(deletions.map(({ what }) => what)).toEqual([
        "delete pods web-1 200",
        "delete pods web-2 200",
      ]);
      for (const { at, body } of deletions) {
        const { gracePeriodSeconds } = body;
        const left = (deadline - at) / 1000;
        expect(at).toBeGreaterThan(deadline - seconds(grace));
        expect(left).toBeGreaterThanOrEqual(grace - 1);
        expect(gracePeriodSeconds).toBe(Math.max(1, Math.floor(left)));
        expect(body.preconditions.uid).toMatch(/^[0-9a-f-]{36}$/);
      }
      expect(outcomesIn(world)).toMatchObject([
        { kind: expect.stringMatching(/^(drained|forced)$/) },
      ]);
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(took(world)).toBeLessThanOrEqual(quarter + seconds(1));
    },
  );

  it.each([
    ["three quarters of the time", {}, 0.75],
    ["as much of it as the deployment says", { DRAIN_TIER_PERCENT: "20" }, 0.2],
  ])(
    "delays critical pods for at most %s: then they leave as their own budget allows",
    async (_, settings, share) => {
      const world = aBlockedWorld(settings);
      deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
      world.cluster.addBudget({ name: "coredns", maxUnavailable: 1 });
      const start = terminate(world);
      await world.work();
      const evictions = evictionsIn(world);
      expect(evictions.map(({ what }) => what)).toEqual(["create pods/eviction coredns-1 201"]);
      const at = between(start, evictions[0]?.at ?? never);
      expect(at).toBeGreaterThanOrEqual(quarter * share);
      // A pass may rest for a tenth of the time that is left.
      expect(at).toBeLessThan(quarter * (share + 0.1));
      expect(deletionsIn(world).map(({ what }) => what)).toEqual([
        "delete pods web-1 200",
        "delete pods web-2 200",
      ]);
    },
  );

  it("is left alone if force is switched off, and the drain still completes the hook", async () => {
    const world = aBlockedWorld({ DRAIN_FORCE: "never" });
    terminate(world);
    await world.work();
    expect(deletionsIn(world)).toEqual([]);
    expect(evictionsIn(world)).toEqual([]);
    expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
    expect(outcomesIn(world)).toEqual([
      {
        kind: "expired",
        left: [
          {
            about: "default/web-1",
            why: expect.stringMatching(/^held for 15 min by budget default\/web/),
          },
          {
            about: "default/web-2",
            why: expect.stringMatching(/^held for 15 min by budget default\/web/),
          },
        ],
      },
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBe(quarter);
  });

  it("but ends by itself before, as its owner wishes, is neither evicted nor deleted", async () => {
    const world = new VirtualWorld();
    const annotations = { "eks-node-lifecycle/drain": "wait-completed", "hollow/exit.main": "100" };
    world.cluster.addPod({
      name: "job",
      node: nodeOf(1),
      annotations,
      spec: { restartPolicy: "Never" },
    });
    terminate(world);
    await world.work();
    expect(evictionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(100));
    expect(took(world)).toBeLessThanOrEqual(seconds(116));
  });
});

describe("a pod that is already ending", () => {
  it("but would outlast the deadline has its grace cut in the last second", async () => {
    const world = new VirtualWorld();
    world.cluster.addPod({
      name: "slow",
      node: nodeOf(1),
      annotations: { "hollow/term-seconds": "never" },
      spec: { terminationGracePeriodSeconds: 7200 },
    });
    deletePod(world, "slow");
    const start = terminate(world);
    await world.work();
    expect(deletionsIn(world)).toEqual([
      expect.objectContaining({
        at: start + quarter - seconds(1) + 1,
        body: expect.objectContaining({ gracePeriodSeconds: 1 }),
      }),
    ]);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(took(world)).toBeLessThanOrEqual(quarter + seconds(2));
  });

  it("is named, with what holds its end, when it outlasts the deadline and force is switched off", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_FORCE: "never" } });
    world.cluster.addPod({
      name: "slow",
      node: nodeOf(1),
      finalizers: ["example.com/hold"],
      annotations: { "hollow/term-seconds": "never" },
      spec: { terminationGracePeriodSeconds: 7200 },
    });
    deletePod(world, "slow");
    terminate(world);
    await world.work();
    expect(deletionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toEqual([
      {
        kind: "expired",
        left: [
          {
            about: "default/slow",
            why: "ending, its grace lasts 1 h 45 min more, finalizers example.com/hold",
          },
        ],
      },
    ]);
  });

  it("is not evicted again, and the drain waits for it", async () => {
    const world = new VirtualWorld();
    world.cluster.addPod({
      name: "slow",
      node: nodeOf(1),
      annotations: { "hollow/term-seconds": "200" },
      spec: { terminationGracePeriodSeconds: 300 },
    });
    deletePod(world, "slow");
    terminate(world);
    await world.work();
    expect(evictionsIn(world)).toEqual([]);
    expect(deletionsIn(world)).toEqual([]);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(200));
    expect(took(world)).toBeLessThanOrEqual(seconds(201));
  });
});

describe("the deadline", () => {
  it("counts from the notice's own time, however long the notice was in the queue", async () => {
    const world = aBlockedWorld();
    const start = terminate(world);
    world.pass(minutes(7));
    await world.work();
    expect(deletionsIn(world)[0]?.at).toBe(start + quarter - seconds(30) + 1);
  });

  it("of a saved event counts from the mark on the node, and no later pass moves it", async () => {
    const world = aBlockedWorld();
    const start = terminate(world);
    await world.drop();
    world.send(hookNotice(world, {}, instant(Date.parse("2026-03-23T03:26:43Z"))));
    await world.work();
    expect(deletionsIn(world)[0]?.at).toBe(start + quarter - seconds(30) + 1);
  });

  it("of a notice from the future counts from the mark too", async () => {
    const world = aBlockedWorld();
    const start = terminate(world);
    await world.drop();
    world.send(hookNotice(world, {}, instant(start + hours(20))));
    await world.work();
    expect(deletionsIn(world)[0]?.at).toBe(start + quarter - seconds(30) + 1);
  });

  it("is early enough for a hook that a hundred heartbeats hold at most", async () => {
    const world = new VirtualWorld({
      heartbeat: seconds(30),
      settings: { DRAIN_TIMEOUT_SECONDS: "7200", DRAIN_FORCE: "never" },
    });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    terminate(world);
    await world.work();
    expect(outcomesIn(world)).toEqual([{ kind: "expired", left: [expect.anything()] }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    // A hundred times 30 s, less 3 minutes for volumes and 15 s to complete the hook.
    expect(took(world)).toBe(seconds(3000 - 180 - 15));
  });
});

/** The longest time for which a hook waited for a heartbeat. */
function longestSilence(world: VirtualWorld): number {
  const [action] = world.aws.autoScaling.actions();
  if (action?.end.kind !== "ended") return Number.POSITIVE_INFINITY;
  const beats = [action.startedAt, ...action.heartbeats, action.end.at];
  return Math.max(...beats.slice(1).map((at, index) => at - (beats[index] ?? at)));
}

describe("heartbeats", () => {
  it.each([30, 60, 300, 1800])(
    "keep a hook with a timeout of %i s alive while a budget blocks",
    async (timeout) => {
      const world = new VirtualWorld({ heartbeat: seconds(timeout) });
      deploy(world, { name: "web", on: { 1: 1 } });
      world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
      terminate(world);
      await world.work();
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(longestSilence(world)).toBeLessThan(milliseconds(seconds(timeout) * 0.8));
    },
  );
});

describe("a drain of 48 hours that a budget blocks", () => {
  it("needs at most 1,150 receives and 70 minutes of the function, and ends in time", {
    timeout: 240_000,
  }, async () => {
    const world = aBlockedWorld({ DRAIN_TIMEOUT_SECONDS: "172800" });
    const start = terminate(world);
    await world.work();
    const [done] = world.told("notice-done");
    expect(world.told("pass-started").length).toBeLessThanOrEqual(1150);
    expect(billedIn(world)).toBeLessThanOrEqual(minutes(70));
    expect(world.told("fault")).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(longestSilence(world)).toBeLessThan(minutes(15));
    // "forced" only where the pass that deletes the pods is also the one that sees them end.
    expect(done?.outcome.kind).toMatch(/^(?:drained|forced)$/);
    // 48 hours, less 3 minutes for volumes and 15 s to complete the hook.
    const deadline = start + minutes(48 * 60) - seconds(195);
    expect(deletionsIn(world)[0]?.at).toBeGreaterThan(deadline - seconds(30));
    expect(done?.at).toBeLessThanOrEqual(deadline + seconds(1));
    // No token is older than 15 minutes: the API server refuses older ones.
    expect(world.tokens.size).toBeGreaterThan(48 * 4);
  });
});
