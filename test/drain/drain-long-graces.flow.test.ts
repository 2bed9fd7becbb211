import { describe, expect, it } from "vitest";
import { between, type Instant, minutes, seconds } from "../../lambda/base/time.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { changeBudget, deletePod } from "../world/change.ts";
import { interrupt } from "../world/ec2-events.ts";
import { deletionsIn, endingsIn, evictionsIn, outcomesIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

// The grace that RabbitMQ's operator asks for.
const week = { terminationGracePeriodSeconds: 604_800 };
const endsInFour = { "hollow/term-seconds": "4" };

/** Three brokers of a quorum on three nodes, two of which have to stay. */
function brokers(): VirtualWorld {
  const world = new VirtualWorld({ nodes: 5 });
  const places = [1, 2, 3].map((node) => ({ name: `rabbit-${node - 1}`, node: nodeOf(node) }));
  world.cluster.addStatefulSet({
    name: "rabbit",
    replicas: 3,
    annotations: endsInFour,
    spec: week,
    pods: places,
  });
  world.cluster.addBudget({ name: "rabbit", minAvailable: 2 });
  world.pass(seconds(10));
  return world;
}

/** The least brokers that ran at once from now on. */
function fewestOf(world: VirtualWorld): () => number {
  let fewest = Number.POSITIVE_INFINITY;
  world.cluster.store.subscribe(() => {
    const all = world.cluster.store.list(pods);
    const run = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    fewest = Math.min(fewest, run.length);
  });
  return () => fewest;
}

const secondsTo = (world: VirtualWorld, at: Instant | undefined): number =>
  between(startOf(world), at ?? startOf(world)) / 1000;

const startOf = (world: VirtualWorld): Instant =>
  world.aws.autoScaling.actions()[0]?.startedAt ?? world.timeline.now();

describe("a pod whose grace is longer than its drain", () => {
  it("leaves within its budget, where two nodes with a broker of one quorum go at once", async () => {
    const world = brokers();
    const fewest = fewestOf(world);
    world.terminate(2);
    await world.drain();
    expect(deletionsIn(world)).toEqual([]);
    expect(fewest()).toBe(2);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }, { kind: "drained" }]);
    expect(world.timeline.now()).toBeLessThan(startOf(world) + minutes(1));
    expect(endingsIn(world)).toEqual(["CONTINUE by call", "CONTINUE by call"]);
  });

  it("waits for its budget while another pod is down for twelve seconds", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "db", annotations: endsInFour, spec: week, on: { 1: 1, 2: 2 } });
    world.cluster.addBudget({ name: "db", minAvailable: 3 });
    world.pass(seconds(10));
    world.in(seconds(12), () => changeBudget(world, "db", { minAvailable: 2 }));
    await world.drain();
    expect(deletionsIn(world)).toEqual([]);
    expect(secondsTo(world, evictionsIn(world)[0]?.at)).toBeCloseTo(12.1);
  });

  it.each([
    ["an hour", 3600],
    ["a week", 604_800],
    ["the time of its drain", 900],
    ["ten minutes", 600],
  ])(
    "keeps a budget that is never met for half of the drain, and then gets the other half: %s",
    async (_, grace) => {
      const world = new VirtualWorld();
      const spec = { terminationGracePeriodSeconds: grace };
      deploy(world, { name: "db", annotations: endsInFour, spec, on: { 1: 1 } });
      world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
      world.pass(seconds(10));
      await world.drain();
      const [deletion, ...others] = deletionsIn(world);
      expect(others).toEqual([]);
      expect(secondsTo(world, deletion?.at)).toBe(450);
      expect(deletion?.body).toMatchObject({ gracePeriodSeconds: 450 });
    },
  );

  it("keeps its protection as long, and pass and outcome say from when it is deleted, and why", async () => {
    const world = new VirtualWorld();
    const annotations = { ...endsInFour, "karpenter.sh/do-not-disrupt": "true" };
    const spec = { terminationGracePeriodSeconds: 3600 };
    deploy(world, { name: "runner", annotations, spec, on: { 1: 1 } });
    await world.drain();
    expect(secondsTo(world, deletionsIn(world)[0]?.at)).toBe(450);
    expect(noteLines(world.told("pass-ended").at(-1)?.left ?? [])).toEqual([
      "default/runner-1: protected by its annotation karpenter.sh/do-not-disrupt: true; deleted from 2026-11-20T10:07:30.000Z on, for its grace of 1 h is longer than half of the drain (15 min)",
    ]);
    expect(outcomesIn(world)).toMatchObject([
      {
        kind: "forced",
        forced: [
          "default/runner-1: deleted past its annotation karpenter.sh/do-not-disrupt: true, for its grace of 1 h is longer than half of the drain (15 min)",
        ],
      },
    ]);
  });

  it("keeps its tier", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "dns", spec: { ...critical, ...week }, on: { 1: 1, 2: 1 } });
    deploy(world, { name: "web", annotations: { "hollow/term-seconds": "20" }, on: { 1: 1 } });
    world.pass(seconds(10));
    await world.drain();
    const [first, second] = evictionsIn(world);
    expect(first?.what).toContain("web-1");
    expect(second?.what).toContain("dns-1");
    expect(secondsTo(world, second?.at)).toBe(20.3);
  });

  it("is evicted at once where nothing holds it, with what is left before the deadline", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "runner", annotations: endsInFour, spec: week, on: { 1: 1 } });
    await world.drain();
    expect(evictionsIn(world)).toHaveLength(1);
    expect(evictionsIn(world)[0]?.body).toMatchObject({
      deleteOptions: { gracePeriodSeconds: 900 },
    });
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });

  it.each([
    ["a hook", 300, (world: VirtualWorld) => void world.terminate(1), 600],
    ["a hook, whose time counts anew", 600, (world: VirtualWorld) => void world.terminate(1), 1050],
    ["Spot", 60, interrupt, 83],
    ["Spot, after more than half of its two minutes", 95, interrupt, 103],
  ] as const)(
    "keeps its budget for half of what is left where a notice comes late: %s after %i s",
    async (_, late, begin, half) => {
      const world = new VirtualWorld();
      deploy(world, { name: "db", annotations: endsInFour, spec: week, on: { 1: 1 } });
      world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
      world.pass(seconds(10));
      const begun = world.timeline.now();
      begin(world);
      world.pass(seconds(late));
      await world.work();
      const [deletion, ...others] = deletionsIn(world);
      expect(others).toEqual([]);
      expect(Math.round(between(begun, deletion?.at ?? begun) / 1000)).toBe(half);
    },
  );
});

describe("a pod that was told to end long before, with a grace longer than its drain", () => {
  /** A pod that needs so long to end, and was deleted twenty minutes ago. */
  function ending(needs: string): VirtualWorld {
    const world = new VirtualWorld();
    const annotations = { "hollow/term-seconds": needs };
    world.cluster.addPod({ name: "db", node: nodeOf(1), annotations, spec: week });
    world.pass(seconds(10));
    deletePod(world, "db");
    world.pass(minutes(20));
    return world;
  }

  it("keeps the time of the drain: a shorter grace would count from its first deletion, and kill it at once", async () => {
    const world = ending("1500");
    await world.drain();
    expect(deletionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(secondsTo(world, world.timeline.now())).toBeCloseTo(300, -1);
  });

  it("is ended in the last second if it has not left by then", async () => {
    const world = ending("never");
    await world.drain();
    expect(deletionsIn(world).map(({ at }) => secondsTo(world, at))).toEqual([899.001]);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
  });

  it("keeps the two minutes of an interruption", async () => {
    const world = ending("1260");
    interrupt(world);
    await world.work();
    expect(deletionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });
});
