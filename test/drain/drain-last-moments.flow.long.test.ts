import { describe, expect, it } from "vitest";
import { between, hours, instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import { markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { changeNode, nodeNow } from "../world/change.ts";
import { deletionsIn, endingsIn, evictionsIn, outcomesIn } from "../world/evidence.ts";
import { type Fault, failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf, type WorldOptions } from "../world/world-options.ts";

const quarter = minutes(15);
const drained = { kind: "drained", attached: [], stuck: [] };

/** A pod that its budget holds for ever. */
function aBlockedWorld(options: WorldOptions = {}): VirtualWorld {
  const world = new VirtualWorld(options);
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.pass(seconds(10));
  return world;
}

describe("shortly before the deadline", () => {
  it.each([80, 100, 200])(
    "the drain forces every pod out in time, even after an error %i s before the deadline",
    async (before) => {
      const world = aBlockedWorld();
      const deadline = later(world.timeline.now(), quarter);
      let errors = 0;
      world.faults = ({ what, at }) => {
        if (errors > 0 || !what.startsWith("list pods")) return well;
        if (between(at, deadline) > seconds(before)) return well;
        errors += 1;
        return { kind: "cluster-fault", fault: refusal(500, "InternalError"), moment: "before" };
      };
      await world.drain();
      expect(errors).toBe(1);
      const [deletion] = deletionsIn(world);
      expect(deletion?.body.gracePeriodSeconds).toBeGreaterThanOrEqual(
        Math.min(20, Math.floor(before / 2)),
      );
      expect(outcomesIn(world)).toMatchObject([
        { kind: expect.stringMatching(/^(drained|forced)$/) },
      ]);
    },
  );

  it.each(["after", "before"] as const)(
    "the drain finishes although an answer never comes (a deletion hangs %s it takes effect)",
    async (moment) => {
      const world = aBlockedWorld();
      let hung = 0;
      world.faults = ({ what }) => {
        if (hung > 0 || !what.startsWith("delete pods")) return well;
        hung += 1;
        return { kind: "cluster-fault", fault: "hang", moment };
      };
      await world.drain();
      expect(hung).toBe(1);
      expect(outcomesIn(world)).toMatchObject([
        { kind: moment === "after" ? "drained" : "expired" },
      ]);
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    },
  );

  // A request in the middle of a pass: it hangs when the one before it was this many seconds ago.
  const hangs: readonly (readonly [string, number, Fault])[] = [
    ["get nodes", 20, { kind: "cluster-fault", fault: "hang", moment: "before" }],
    [
      "autoscaling RecordLifecycleActionHeartbeat",
      30,
      { kind: "aws-fault", fault: "hang", moment: "before" },
    ],
  ];

  it.each(hangs)(
    "the drain forces every pod out in time although an answer never comes (%s)",
    async (request, interval, hang) => {
      const world = aBlockedWorld({ heartbeat: seconds(60) });
      const deadline = later(world.timeline.now(), quarter);
      let last = world.timeline.now();
      let hung = 0;
      world.faults = ({ what, at }) => {
        if (!what.startsWith(request)) return well;
        const isMidway = between(last, at) === seconds(interval);
        last = at;
        if (!isMidway || between(at, deadline) > seconds(75)) return well;
        hung += 1;
        return hang;
      };
      await world.drain();
      expect(hung).toBeGreaterThan(0);
      expect(deletionsIn(world)).toMatchObject([{ body: { gracePeriodSeconds: 29 } }]);
      expect(outcomesIn(world)).toMatchObject([
        { kind: expect.stringMatching(/^(drained|forced)$/) },
      ]);
    },
  );

  it("the drain forces every other pod out in time although an eviction hangs when its pass ends", async () => {
    const world = aBlockedWorld();
    const deadline = later(world.timeline.now(), quarter);
    world.faults = ({ what, at }) =>
      what.startsWith("create pods/eviction late") && between(at, deadline) > seconds(30)
        ? { kind: "cluster-fault", fault: "hang", moment: "before" }
        : well;
    for (let second = 840; second < 875; second += 5)
      world.in(seconds(second), () =>
        world.cluster.addPod({ name: `late-${second}`, node: nodeOf(1) }),
      );
    await world.drain();
    const [deletion] = deletionsIn(world);
    expect(deletion?.body.gracePeriodSeconds).toBeGreaterThanOrEqual(25);
  });

  it.each([1, 10, 32])(
    "the drain forces every pod out in time although it is throttled for %i s",
    async (retryAfter) => {
      const world = aBlockedWorld();
      deploy(world, { name: "shop", on: { 1: 3 } });
      world.cluster.addBudget({ name: "shop", maxUnavailable: 0 });
      const deadline = later(world.timeline.now(), quarter);
      let throttles = 0;
      world.faults = ({ what, at }) => {
        if (throttles > 0 || !what.startsWith("delete pods")) return well;
        throttles += between(at, deadline) < seconds(31) ? 1 : 0;
        return { kind: "cluster-fault", fault: throttled(retryAfter), moment: "before" };
      };
      await world.drain();
      expect(throttles).toBe(1);
      const graces = deletionsIn(world).map(({ body }) => Number(body.gracePeriodSeconds));
      expect(Math.min(...graces)).toBeGreaterThanOrEqual(25);
      expect(outcomesIn(world)).toMatchObject([
        { kind: expect.stringMatching(/^(drained|forced)$/) },
      ]);
    },
  );
});

describe("the drain still keeps its deadline where", () => {
  it("the API server refuses evictions: the drain deletes the pods in time", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    const message = 'cannot create resource "pods/eviction" in API group ""';
    const fault = refusal(403, message);
    world.faults = failing(/eviction/, fault);
    await world.drain();
    expect(deletionsIn(world)).toHaveLength(2);
    expect(new Set(world.told("fault").map(({ code }) => code))).toEqual(
      new Set(["cluster.forbidden"]),
    );
    expect(outcomesIn(world)).toEqual([drained]);
  });
});

describe("a server that throttles the drain of one node", () => {
  it("gets no eviction from the drains of other nodes meanwhile", async () => {
    const world = new VirtualWorld({ nodes: 3, settings: { DRAIN_CONCURRENCY: "1" } });
    deploy(world, { name: "web", on: { 1: 3, 2: 3 } });
    let throttles = 0;
    world.faults = ({ what }) => {
      if (throttles > 0 || !/eviction/.test(what)) return well;
      throttles += 1;
      return { kind: "cluster-fault", fault: throttled(20), moment: "before" };
    };
    world.terminate(1);
    world.terminate(2);
    await world.work();
    const [first] = evictionsIn(world);
    const waits = world.requests
      .filter(({ what }) => /eviction/.test(what))
      .map(({ at }) => between(first?.at ?? at, at));
    expect(waits.filter((wait) => wait > seconds(1) && wait < seconds(20))).toEqual([]);
    expect(outcomesIn(world)).toEqual([drained, drained]);
  });
});

describe("a mark from long ago", () => {
  const everything = { tolerations: [{ operator: "Exists" }] };

  it.each([hours(72), hours(3)])(
    "does not count: the drain marks the node again after %i ms, and evicts what has come back since",
    async (age) => {
      const world = new VirtualWorld();
      const old = instant(world.timeline.now() - age);
      changeNode(world, 1, (node) => ({
        ...node,
        metadata: {
          ...node.metadata,
          labels: {
            ...node.metadata.labels,
            "node.kubernetes.io/exclude-from-external-load-balancers": "eks-node-lifecycle",
          },
          annotations: {
            ...node.metadata.annotations,
            [markedAtAnnotation]: new Date(old).toISOString(),
            "eks-node-lifecycle/cordoned": "true",
          },
        },
        spec: { ...node.spec, unschedulable: true },
      }));
      deploy(world, { name: "web", spec: everything, on: { 1: 2 } });
      world.pass(seconds(5));
      const now = world.timeline.now();
      await world.drain();
      expect(evictionsIn(world)).toHaveLength(2);
      const { annotations: written } = nodeNow(world, 1).metadata;
      expect(Date.parse(String(written?.[markedAtAnnotation]))).toBeGreaterThanOrEqual(now);
      expect(written?.["eks-node-lifecycle/cordoned"]).toBe("true");
    },
  );
});
