import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  type Instant,
  later,
  minutes,
  never,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { exclusionLabel, ownMark } from "../../lambda/drain/marking.ts";
import { changeNode, nodeNow } from "../world/change.ts";
import { interrupt, interruptionOf } from "../world/ec2-events.ts";
import { deletionsIn, evictedIn, evictionsIn, took, writesIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { landingsOn } from "../world/landings.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = [{ kind: "drained", attached: [], stuck: [] }];

/** Pods that ask for more grace than two minutes have, and use all of what they get. */
const slow = (grace: number) => ({
  annotations: { "hollow/term-seconds": "never" },
  spec: { terminationGracePeriodSeconds: grace },
});

/** Interrupts the first instance and lets the function work; returns how many seconds after the event something was. */
async function interrupted(world: VirtualWorld) {
  const begun = world.timeline.now();
  interrupt(world);
  await world.work();
  return (at: Instant | undefined): number => between(begun, at ?? begun) / 1000;
}

const first = (world: VirtualWorld, name: string): Instant | undefined =>
  evictionsIn(world).find(({ what }) => what.includes(name))?.at;

describe("the interruption of a Spot instance", () => {
  it.each(["terminate", "stop", "hibernate"] as const)(
    "that is to %s empties its node, and its mark says why and until when",
    async (action) => {
      const world = new VirtualWorld();
      deploy(world, { name: "web", on: { 1: 3 } });
      interrupt(world, undefined, action);
      await world.work();
      expect(namesOn(world, 1)).toEqual([]);
      expect(outcomes(world)).toEqual(drained);
      expect(world.told("node-marked")).toMatchObject([
        { reason: "interrupted", deadline: "2026-11-20T10:01:45.000Z" },
      ]);
    },
  );

  it("evicts every pod within four seconds, after twenty requests at most, however long they may take to end", async () => {
    const world = new VirtualWorld({ nodes: 20 });
    deploy(world, { name: "web", ...slow(30), on: { 1: 10 } });
    const secondsIn = await interrupted(world);
    const asked = world.requests
      .filter(({ what }) => !/\bevents\b/.test(what))
      .findIndex(({ what }) => what.startsWith("create pods/eviction"));
    expect(asked).toBeGreaterThan(3);
    expect(asked).toBeLessThanOrEqual(20);
    expect(secondsIn(evictionsIn(world)[9]?.at)).toBeLessThanOrEqual(4);
    expect(outcomes(world)).toEqual(drained);
  });

  it.each([0, 1])(
    "moves no pod to an instance that is interrupted %i s later, though the scheduler prefers its node",
    async (apart) => {
      const world = new VirtualWorld({ nodes: 4, batchSize: 1 });
      deploy(world, { name: "db", on: { 3: 20, 4: 20 } });
      deploy(world, { name: "web", on: { 1: 5 } });
      const landed = landingsOn(world, [1, 2]);
      interrupt(world, instanceOf(1));
      world.in(seconds(apart), () => interrupt(world, instanceOf(2)));
      await world.work();
      expect(landed).toEqual([]);
      expect(evictedIn(world)).toHaveLength(5);
      expect(outcomes(world)).toHaveLength(2);
    },
  );

  it("rests once only for other nodes to be marked, however often its own is opened", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.in(seconds(2), () =>
      changeNode(world, 1, ({ spec, ...node }) => ({
        ...node,
        spec: { ...spec, unschedulable: false },
      })),
    );
    await interrupted(world);
    expect(world.told("pass-started")).toHaveLength(2);
    expect(outcomes(world)).toEqual(drained);
  });

  it("is tried again within seconds while Auto Scaling does not say whose it is", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 3 } });
    const up = later(world.timeline.now(), seconds(40));
    const fault = { code: "InternalFailure", message: "no", status: 500 };
    world.faults = ({ what, at }) =>
      what.includes("DescribeAutoScalingInstances") && at < up
        ? { kind: "aws-fault", moment: "before", fault }
        : well;
    const secondsIn = await interrupted(world);
    expect(secondsIn(first(world, "web"))).toBeLessThan(50);
    expect(outcomes(world)).toEqual(drained);
  });

  it("cuts a grace that does not fit, evicts with the rest at once, and tells each cut", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "slow", ...slow(300), on: { 1: 1 } });
    deploy(world, { name: "web", on: { 1: 1 } });
    const secondsIn = await interrupted(world);
    expect(secondsIn(first(world, "slow"))).toBeLessThanOrEqual(4);
    expect(
      writesIn(world).find(({ what }) => what.includes("eviction slow-1"))?.body,
    ).toMatchObject({
      deleteOptions: { gracePeriodSeconds: 101 },
    });
    expect(world.told("grace-cut")).toMatchObject([
      { pod: "default/slow-1", graceSeconds: 101, ownSeconds: 300 },
    ]);
    expect(deletionsIn(world)).toEqual([]);
    expect(took(world)).toBeLessThan(minutes(2));
  });

  it("names the cuts of its last pass in its outcome", async () => {
    const world = new VirtualWorld();
    deploy(world, {
      name: "slow",
      spec: { terminationGracePeriodSeconds: 300 },
      on: { 1: 1 },
    });
    await interrupted(world);
    expect(outcomes(world)).toEqual([
      {
        kind: "forced",
        attached: [],
        stuck: [],
        forced: ["default/slow-1: its grace cut to 101 s of 300 s"],
      },
    ]);
  });

  it("lets a budget hold such a pod for half of its time, and then takes it with the other half", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "slow", ...slow(300), on: { 1: 1 } });
    world.cluster.addBudget({ name: "slow", maxUnavailable: 0 });
    const secondsIn = await interrupted(world);
    expect(deletionsIn(world)).toMatchObject([{ body: { gracePeriodSeconds: 52 } }]);
    expect(secondsIn(deletionsIn(world)[0]?.at)).toBe(52.5);
    expect(took(world)).toBeLessThan(minutes(2));
  });

  it("takes a usual pod from its budget when its grace just fits no longer", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const secondsIn = await interrupted(world);
    expect(secondsIn(deletionsIn(world)[0]?.at)).toBe(75.001);
  });

  it("lets critical pods wait for ordinary ones until half of the time is over", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "dns", spec: critical, on: { 1: 1, 2: 1 } });
    deploy(world, { name: "slow", ...slow(90), on: { 1: 1 } });
    const secondsIn = await interrupted(world);
    expect(secondsIn(first(world, "slow"))).toBeLessThanOrEqual(4);
    expect(Math.round(secondsIn(first(world, "dns")))).toBe(53);
  });

  it("lets them wait as long where the node was marked long before", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "dns", spec: critical, on: { 1: 1, 2: 1 } });
    deploy(world, { name: "slow", ...slow(90), on: { 1: 1 } });
    changeNode(world, 1, ({ metadata, spec, ...node }) => ({
      ...node,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, [exclusionLabel]: ownMark },
        annotations: {
          ...metadata.annotations,
          "eks-node-lifecycle/marked-at": "2026-11-20T09:20:00.000Z",
          "eks-node-lifecycle/reason": "at-risk",
        },
      },
      spec: { ...spec, unschedulable: true },
    }));
    const secondsIn = await interrupted(world);
    expect(world.told("mark-tightened")).toMatchObject([{ reason: "interrupted" }]);
    expect(secondsIn(first(world, "slow"))).toBeLessThanOrEqual(1);
    expect(Math.round(secondsIn(first(world, "dns")))).toBe(53);
  });

  it("does not believe longer than a twentieth of the time that the node may fill again", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_SETTLE_SECONDS: "120" } });
    await interrupted(world);
    expect(outcomes(world)).toEqual(drained);
    expect(took(world)).toBeGreaterThan(seconds(5));
    expect(took(world)).toBeLessThan(seconds(6));
  });

  it("waits for volumes until two seconds before the instance goes", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: hours(1) });
    await interrupted(world);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(118));
  });

  it("marks the node and evicts nothing where a deployment only cordons", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_MODE: "cordon-only" } });
    deploy(world, { name: "web", on: { 1: 1 } });
    await interrupted(world);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
    expect(evictionsIn(world)).toEqual([]);
    expect(deletionsIn(world)).toEqual([]);
    expect(outcomes(world)).toMatchObject([{ kind: "expired" }]);
  });

  it("changes nothing in a dry run, and says what it would evict", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_MODE: "dry-run" } });
    deploy(world, { name: "web", on: { 1: 2 } });
    await interrupted(world);
    expect(nodeNow(world, 1).spec.unschedulable ?? false).toBe(false);
    expect(nodeNow(world, 1).metadata.annotations ?? {}).not.toHaveProperty([
      "eks-node-lifecycle/reason",
    ]);
    expect(outcomes(world)).toMatchObject([
      { kind: "dry-run", evicted: ["default/web-1", "default/web-2"] },
    ]);
  });

  it("forces nothing where that is switched off, but still cuts graces", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_FORCE: "never" } });
    deploy(world, { name: "slow", ...slow(300), on: { 1: 1 } });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await interrupted(world);
    expect(deletionsIn(world)).toEqual([]);
    expect(world.told("grace-cut")).toHaveLength(1);
    expect(outcomes(world)).toMatchObject([{ kind: "expired" }]);
    expect(took(world)).toBeLessThan(minutes(2));
  });

  it("is over at once where the cluster has no node of the instance", async () => {
    const world = new VirtualWorld();
    world.cluster.removeNode(nodeOf(1));
    await interrupted(world);
    expect(outcomes(world)).toEqual([{ kind: "no-node" }]);
  });

  it("never calls a hook", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    await interrupted(world);
    const asked = new Set(world.requests.map(({ what }) => what).filter((it) => /^auto/.test(it)));
    expect([...asked]).toEqual([
      "autoscaling DescribeAutoScalingInstances",
      "autoscaling DescribeAutoScalingGroups",
    ]);
  });
});

describe("the notice of a Spot instance that comes after its deadline", () => {
  it.each([
    [108, 9],
    [117, 2],
    [150, 2],
  ])(
    "evicts all the same %i s after the event, with the time that its machine has: %i s",
    async (age, grace) => {
      const world = new VirtualWorld();
      deploy(world, { name: "web", on: { 1: 2 } });
      interrupt(world);
      world.pass(seconds(age));
      await world.work();
      expect(writesIn(world).filter(({ what }) => what.includes("eviction"))).toMatchObject([
        { body: { deleteOptions: { gracePeriodSeconds: grace } } },
        { body: { deleteOptions: { gracePeriodSeconds: grace } } },
      ]);
      const began = world.told("drain-late").map(({ at }) => timestamp(at));
      expect(outcomes(world)).toMatchObject([{ kind: "forced", late: began[0] }]);
      expect(began).toHaveLength(1);
    },
  );

  it.each([
    [90, 15],
    [98, 15],
    [102, 15],
    [104, 13],
    [106, 11],
  ])("has given pods no less time %i s after the event, before that: %i s", async (age, grace) => {
    const world = new VirtualWorld();
    deploy(world, { name: "slow", ...slow(60), on: { 1: 1 } });
    interrupt(world);
    world.pass(seconds(age));
    await world.work();
    expect(writesIn(world).filter(({ what }) => what.includes("eviction"))).toMatchObject([
      { body: { deleteOptions: { gracePeriodSeconds: grace } } },
    ]);
    expect(took(world)).toBeLessThanOrEqual(seconds(121));
  });

  it("has not expired if its node is empty before its mark has settled", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    interrupt(world);
    world.pass(seconds(103));
    await world.work();
    expect(outcomes(world)).toMatchObject([{ kind: "forced" }]);
    expect(took(world)).toBeLessThan(seconds(120));
  });

  it("takes a pod from its budget where force is allowed, and lets it go where it is not", async () => {
    const late = async (settings = {}) => {
      const world = new VirtualWorld({ settings });
      deploy(world, { name: "web", on: { 1: 1 } });
      world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
      interrupt(world);
      world.pass(seconds(108));
      await world.work();
      return world;
    };
    expect(deletionsIn(await late())).toMatchObject([{ body: { gracePeriodSeconds: 9 } }]);
    const unforced = await late({ DRAIN_FORCE: "never" });
    expect(deletionsIn(unforced)).toEqual([]);
    expect(outcomes(unforced)).toMatchObject([{ kind: "expired" }]);
    expect(took(unforced)).toBeLessThan(seconds(112));
  });
});

describe("a function that dies with the notice of a Spot instance", () => {
  const begin = () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    interrupt(world);
    return world;
  };

  it("has it back within fifteen seconds, whatever the request at which it dies", async () => {
    const undisturbed = begin();
    await undisturbed.work();
    const requests = undisturbed.requests.length;
    expect(requests).toBeGreaterThan(10);
    const times = undisturbed.requests.map(({ at }) => at);
    const openings = times.flatMap((at, index) =>
      between(times[index - 1] ?? at, at) >= seconds(3) ? [index + 1] : [],
    );
    for (let dies = 2; dies <= requests; dies += 1) {
      // Nobody has hidden the message anew when a pass dies before its first request.
      if (openings.includes(dies)) continue;
      const world = begin();
      world.faults = ({ number }) => (number === dies ? { kind: "death", moment: "before" } : well);
      const begun = world.timeline.now();
      await world.work();
      const what = undisturbed.requests[dies - 1]?.what;
      expect(outcomes(world).at(-1), what).toMatchObject({ kind: "drained" });
      expect(namesOn(world, 1), what).toEqual([]);
      const starts = world.told("pass-started").map(({ at }) => between(begun, at));
      expect(starts[1] ?? 0, what).toBeLessThanOrEqual(seconds(15));
      expect(world.aws.sqs.findQueue("notices").contents(), what).toEqual([]);
    }
  });

  it("has it back as soon where it dies of another notice of the batch, and the notice comes alone", async () => {
    const world = begin();
    world.terminate(2);
    let deaths = 0;
    world.faults = ({ what }) => {
      if (!what.endsWith("RecordLifecycleActionHeartbeat") || deaths === 3) return well;
      deaths += 1;
      return { kind: "death", moment: "before" };
    };
    await world.work(minutes(2));
    expect(outcomes(world)).toEqual(drained);
    expect(namesOn(world, 1)).toEqual([]);
    const again = world.told("pass-started").filter(({ notice }) => /interrupt/i.test(notice));
    expect(again.map(({ receives }) => receives)).toEqual([1, 2]);
  });

  it("has each notice of a batch back at another moment", async () => {
    const world = new VirtualWorld({ nodes: 4 });
    for (const index of [1, 2, 3]) interrupt(world, instanceOf(index));
    const begun = world.timeline.now();
    let deaths = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("autoscaling") || deaths === 1) return well;
      deaths += 1;
      return { kind: "death", moment: "before" };
    };
    await world.work(minutes(2));
    const starts = world.told("pass-started").map(({ at }) => between(begun, at) / 1000);
    expect(starts.slice(3, 6).map(Math.floor)).toEqual([10, 12, 14]);
  });

  it("deletes it at once when all is done", async () => {
    const world = begin();
    await world.work();
    const [over] = world.told("notice-done");
    const deleted = world.requests.find(({ what }) => what === "sqs DeleteMessage");
    expect(between(over?.at ?? never, deleted?.at ?? never)).toBeLessThan(seconds(1));
  });

  it("waits a second and no more for SQS to hide it", async () => {
    const world = begin();
    const begun = world.timeline.now();
    world.faults = ({ number }) =>
      number === 1 ? { kind: "aws-fault", fault: "hang", moment: "before" } : well;
    await world.work(minutes(1));
    const [started] = world.told("pass-started");
    expect(between(begun, started?.at ?? never)).toBeGreaterThanOrEqual(seconds(1));
    expect(between(begun, started?.at ?? never)).toBeLessThan(seconds(3));
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("keeps it to itself as long as it lives", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "slow", ...slow(90), on: { 1: 1 } });
    interrupt(world);
    await world.work(seconds(50));
    expect(world.told("pass-started")).toHaveLength(2);
  });
});

describe("the notice of a Spot instance that still runs", () => {
  const ignoredAsLate = [
    {
      kind: "ignored",
      why: "other",
      reason: `instance ${instanceOf(1)} runs, and the notice of its end is late`,
    },
  ];

  /** The notice is read so long after the event, while the instance is in service and runs. */
  async function readAfter(wait: Duration, world = new VirtualWorld()): Promise<VirtualWorld> {
    deploy(world, { name: "web", on: { 1: 2 } });
    interrupt(world);
    world.pass(wait);
    await world.work();
    return world;
  }

  it("is ignored, and leaves no mark, a minute after EC2 should have taken it", async () => {
    const world = await readAfter(minutes(3));
    expect(outcomes(world)).toEqual(ignoredAsLate);
    expect(namesOn(world, 1)).toHaveLength(2);
    expect(nodeNow(world, 1).spec.unschedulable ?? false).toBe(false);
  });

  it("is ignored when it comes days later, out of the dead letters", async () => {
    const world = await readAfter(hours(72));
    expect(outcomes(world)).toEqual(ignoredAsLate);
  });

  it("leaves the mark of a notice whose time is not over, so that no pod comes back before EC2 takes the instance", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    interrupt(world);
    await world.work(seconds(60));
    expect(outcomes(world)).toEqual(drained);
    const time = timestamp(later(world.timeline.now(), minutes(-5)));
    world.send({ ...interruptionOf(world), time });
    await world.work(seconds(30));
    expect(outcomes(world)).toEqual([...drained, ...ignoredAsLate]);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
  });

  it("takes its own mark off again, and no mark of another drain", async () => {
    const marked = async (reason: string) => {
      const world = new VirtualWorld();
      changeNode(world, 1, ({ metadata, spec, ...node }) => ({
        ...node,
        metadata: {
          ...metadata,
          annotations: {
            "eks-node-lifecycle/marked-at": "2026-11-20T10:00:00.000Z",
            "eks-node-lifecycle/cordoned": "true",
            "eks-node-lifecycle/reason": reason,
          },
        },
        spec: { ...spec, unschedulable: true },
      }));
      await readAfter(minutes(10), world);
      return nodeNow(world, 1).spec.unschedulable ?? false;
    };
    expect(await marked("interrupted")).toBe(false);
    expect(await marked("requested")).toBe(true);
  });
});
