import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  instant,
  later,
  minutes,
  never,
  seconds,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import { noticeWork } from "../../lambda/node-work.flow.ts";
import { receivesOfMessage } from "../../lambda/notice/renewal.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { snsEvent } from "../support/saved-events.ts";
import { changeBudget, nodeNow } from "../world/change.ts";
import { endingsIn, evictedIn, evictionsIn, outcomesIn, took } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { instanceOf, type MakesWork, nodeOf } from "../world/world-options.ts";

const slow = {
  annotations: { "hollow/term-seconds": "20" },
  spec: { terminationGracePeriodSeconds: 60 },
};

/** A world in which nobody can mark the first node for some time; its pods find a better place when they are evicted. */
function aWorld(code: number, lasts?: Duration): VirtualWorld {
  const world = unmarkable(new VirtualWorld({ nodes: 3 }), code, lasts);
  deploy(world, { name: "web", ...slow, on: { 1: 2 } });
  return world;
}

/** A world in which no node can be marked for some time. */
function unmarkable(world: VirtualWorld, code: number, lasts = minutes(60)): VirtualWorld {
  const heals = later(world.timeline.now(), lasts);
  const fault = refusal(code, "no");
  world.faults = ({ what, at }) =>
    what.startsWith("patch nodes") && at < heals
      ? { kind: "cluster-fault", fault, moment: "before" }
      : well;
  return world;
}

const firstEviction = (world: VirtualWorld, begun: number) =>
  between(begun as never, evictionsIn(world)[0]?.at ?? (begun as never));

describe("a node that cannot be marked", () => {
  it.each([403, 409, 422, 500])(
    "is drained after a minute, because its pods would otherwise end unevicted (HTTP %i)",
    async (code) => {
      const world = aWorld(code);
      const begun = world.timeline.now();
      await world.drain();
      expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(firstEviction(world, begun)).toBeGreaterThanOrEqual(minutes(1));
      expect(firstEviction(world, begun)).toBeLessThan(minutes(4));
      expect(namesOn(world, 1)).toEqual([]);
      const problems = [...world.told("fault"), ...world.told("warning")];
      expect(problems.length).toBeGreaterThan(0);
    },
  );

  it.each([403, 409, 500])(
    "keeps the drain waiting in one pass until its volumes are detached (HTTP %i)",
    async (code) => {
      const world = aWorld(code);
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(30) });
      await world.drain();
      expect(outcomesIn(world)).toMatchObject([{ kind: "drained", attached: [] }]);
      expect(world.told("volumes-awaited")).toHaveLength(1);
      expect(namesOn(world, 1)).toEqual([]);
      expect(took(world)).toBeLessThan(minutes(6));
    },
  );

  it.each(["900", "120"])(
    "is drained where the API server answers no write of it, though a pass is over before it gives up (%s s)",
    async (DRAIN_TIMEOUT_SECONDS) => {
      const settings = { DRAIN_TIMEOUT_SECONDS, DRAIN_FORCE: "never" };
      const world = new VirtualWorld({ nodes: 3, settings });
      deploy(world, { name: "web", ...slow, on: { 1: 2 } });
      world.faults = failing(/^patch nodes/, "hang");
      const begun = world.timeline.now();
      await world.drain();
      expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
      expect(firstEviction(world, begun)).toBeLessThan(minutes(1.5));
      expect(namesOn(world, 1)).toEqual([]);
      expect(world.told("warning")[0]).toMatchObject({
        warnings: ["not marked yet, for the API server does not answer"],
      });
    },
  );

  it("is drained as one where a webhook undoes each mark that the API server takes", async () => {
    const world = new VirtualWorld({ nodes: 3 });
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    world.faults = failing(/^patch nodes/, { status: 200, body: nodeNow(world, 1) });
    const begun = world.timeline.now();
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(world.told("node-marked")).toEqual([]);
    expect(world.told("warning")[0]).toMatchObject({
      warnings: ["not marked yet, for others keep writing it"],
    });
    expect(firstEviction(world, begun)).toBeGreaterThanOrEqual(minutes(1));
    expect(firstEviction(world, begun)).toBeLessThan(minutes(2));
  });

  it.each([401, 404, 409, 429])(
    "is drained as one, and does not count as gone, where a webhook denies each write of it with HTTP %i",
    async (code) => {
      const world = new VirtualWorld({ nodes: 3 });
      deploy(world, { name: "web", ...slow, on: { 1: 2 } });
      const message = 'admission webhook "guardian" denied the request: not now';
      world.faults = failing(/^patch nodes/, refusal(code, message));
      const begun = world.timeline.now();
      await world.drain();
      expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
      expect(firstEviction(world, begun)).toBeGreaterThanOrEqual(minutes(1));
      expect(firstEviction(world, begun)).toBeLessThan(minutes(2));
      expect(world.told("fault")[0]?.message).toContain(message);
    },
  );

  it("is not drained unmarked while the trouble may still end", async () => {
    const world = aWorld(409, seconds(20));
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
    expect(world.told("node-marked")).toHaveLength(1);
    expect(took(world)).toBeLessThan(minutes(2));
  });

  it("is drained after a quarter of the drain's time if that is less than a minute", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "120" } });
    deploy(world, { name: "web", on: { 1: 1 } });
    const begun = world.timeline.now();
    const fault = refusal(409, "the object has been modified");
    world.faults = failing(/^patch nodes/, fault);
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(firstEviction(world, begun)).toBeLessThan(seconds(60));
  });

  it("is given up when another instance's node takes its name, and later pods there are not touched", async () => {
    const world = aWorld(403);
    deploy(world, { name: "db", on: { 1: 1 } });
    world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
    const refused = world.faults;
    const swap = () => {
      world.cluster.removeNode(nodeOf(1));
      const providerID = `aws:///eu-west-1a/${instanceOf(9)}`;
      world.cluster.addNode({ name: nodeOf(1), providerID });
    };
    world.faults = (request) => {
      if (request.what !== "watch pods") return refused(request);
      world.faults = refused;
      world.in(seconds(2), swap);
      world.in(seconds(30), () => world.cluster.addPod({ name: "other", node: nodeOf(1) }));
      return well;
    };
    await world.drain();
    world.pass(minutes(1));
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expect(
      evictionsIn(world)
        .map(({ what }) => what)
        .join(),
    ).not.toContain("other");
    expect(namesOn(world, 1)).toContain("other");
  });

  it("is marked in a later pass once that works again, although its drain has begun", async () => {
    const world = aWorld(403, minutes(2));
    deploy(world, { name: "db", on: { 1: 1 } });
    world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
    await world.drain();
    expect(world.told("node-marked")).toHaveLength(1);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
  });
});

describe("a node that is marked, and may not be written afterwards", () => {
  it.each<[string, KubeFault, string]>([
    ["HTTP 403", refusal(403, "no"), "at-deadline"],
    ["HTTP 409", refusal(409, "no"), "never"],
    ["HTTP 422", refusal(422, "no"), "never"],
    ["HTTP 500", refusal(500, "no"), "never"],
    ["no answer", "hang", "never"],
    ["an answer after 25 s", { slow: seconds(25) }, "never"],
  ])(
    "is drained as soon as its budgets allow, without a lease (%s)",
    async (_, fault, DRAIN_FORCE) => {
      const world = new VirtualWorld({ nodes: 3, settings: { DRAIN_FORCE } });
      deploy(world, { name: "web", on: { 1: 1 } });
      world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
      let marks = 0;
      const troubled = failing(/^patch nodes/, fault);
      world.faults = (request) => {
        if (request.what.startsWith("patch nodes")) marks += 1;
        return marks > 1 ? troubled(request) : well;
      };
      world.in(minutes(3), () => changeBudget(world, "web", { maxUnavailable: 1 }));
      await world.drain();
      expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
      expect(took(world)).toBeLessThan(minutes(5));
      expect(evictedIn(world)).toHaveLength(1);
      const told = [...world.told("fault"), ...world.told("warning")];
      expect(told.length).toBeGreaterThan(0);
    },
  );
});

describe("a node that cannot be marked, and to which every evicted pod comes back", () => {
  /** A world of one node, where two pods run that end slowly, and which is drained within a quarter of an hour. */
  function aWorldOfOne(grace: number, lasts?: Duration, work?: MakesWork): VirtualWorld {
    const settings = { DRAIN_TIMEOUT_SECONDS: "900" };
    const world = unmarkable(new VirtualWorld({ nodes: 1, settings, work }), 409, lasts);
    const spec = { terminationGracePeriodSeconds: grace };
    deploy(world, { name: "web", ...slow, spec, on: { 1: 2 } });
    return world;
  }

  it.each([30, 60, 600, 3600])("causes no eviction storm (grace %i s)", async (grace) => {
    const world = aWorldOfOne(grace);
    await world.drain();
    expect(evictionsIn(world).length).toBeLessThanOrEqual(2 * 16);
    expect(new Set(evictedIn(world)).size).toBe(evictedIn(world).length);
    expect(outcomesIn(world)).toHaveLength(1);
    expect(took(world)).toBeLessThanOrEqual(seconds(900 + 3));
  });

  it("is drained in pauses that grow, and once more shortly before the deadline", async () => {
    const world = aWorldOfOne(30);
    const begun = world.timeline.now();
    await world.drain();
    const moments = evictionsIn(world).map(({ at }) => wholeSeconds(between(begun, at)));
    const early = [...new Set(moments)].filter((at) => at < 600);
    const pauses = early.slice(1).map((at, index) => at - (early[index] ?? 0));
    expect(pauses.length).toBeGreaterThanOrEqual(3);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses[0]).toBeGreaterThanOrEqual(20);
    expect(moments.at(-1)).toBeGreaterThanOrEqual(890);
  });

  /** The notice of an instance that is held now, as it was saved months ago. */
  async function savedNotice(world: VirtualWorld): Promise<object> {
    world.terminate(1);
    await world.drop();
    return hookNotice(world, {}, instant(Date.parse("2026-03-23T03:26:43Z")));
  }

  const saved = [
    {
      way: "the queue",
      send: (world: VirtualWorld, notice: object) => world.send(notice),
      outcomes: 1,
    },
    {
      way: "no queue",
      send: (world: VirtualWorld, notice: object) =>
        void world.deployment.function("node").invoke(snsEvent(JSON.stringify(notice))),
      outcomes: 0,
    },
  ] as const;

  it.each(saved)(
    "causes no eviction storm if its notice was saved, and came by $way",
    async ({ send, outcomes }) => {
      const world = aWorldOfOne(30);
      send(world, await savedNotice(world));
      await world.workFor(minutes(30));
      expect(evictionsIn(world).length).toBeGreaterThan(4);
      expect(evictionsIn(world).length).toBeLessThanOrEqual(2 * 22);
      expect(outcomesIn(world)).toHaveLength(outcomes);
    },
  );

  it("causes no eviction storm if nothing tells when its notice was first received, and is not left alone for that", async () => {
    const work: MakesWork = (config, ports) => {
      const works = noticeWork(config, ports);
      return {
        ...works,
        run: (received, ...rest) => works.run({ ...received, firstReceived: never }, ...rest),
      };
    };
    const world = aWorldOfOne(30, minutes(60), work);
    const begun = world.timeline.now();
    world.send(await savedNotice(world));
    await world.workFor(minutes(15));
    expect(firstEviction(world, begun)).toBeLessThan(seconds(10));
    expect(evictionsIn(world).length).toBeLessThanOrEqual(2 * 15 * 8);
  });

  it("ends its drain at the deadline after the first receive of a saved notice, though fresh messages take its place", async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "7200", DRAIN_FORCE: "never" };
    const world = unmarkable(new VirtualWorld({ nodes: 1, settings }), 409, hours(3));
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.send(await savedNotice(world));
    await world.work();
    expect(world.told("pass-started").length).toBeGreaterThan(2 * receivesOfMessage);
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
    expect(took(world)).toBe(seconds(7200));
  });

  it("is empty soon after it can be marked again", async () => {
    const world = aWorldOfOne(60, minutes(5));
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(namesOn(world, 1)).toEqual([]);
    expect(took(world)).toBeLessThan(minutes(7));
  });
});
