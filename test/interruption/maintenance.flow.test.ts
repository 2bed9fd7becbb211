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
} from "../../lambda/base/time.ts";
import { tryCause } from "../../lambda/drain/cause.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { isWarm } from "../../lambda/interruption/event-admission.ts";
import { savedEvent } from "../support/saved-events.ts";
import { changeNode, nodeNow } from "../world/change.ts";
import { deletionsIn, eventsIn, evictionsIn, writtenIn } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { makeTrue } from "../world/true-event.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";
import { type Announcement, announce, days, forge, retirement, tracesOf } from "./planned-work.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = { kind: "drained", attached: [], stuck: [] };
const ignored = (reason: string, why = "other") => ({ kind: "ignored", why, reason });

/** Two pods on the first node, and one elsewhere. */
function aWorld(options: ConstructorParameters<typeof VirtualWorld>[0] = {}): VirtualWorld {
  const world = new VirtualWorld(options);
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  return world;
}

/** The same pods, which their budget holds. */
function aBlockedWorld(): VirtualWorld {
  const world = aWorld();
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

const isCordoned = (world: VirtualWorld, index: number): boolean =>
  nodeNow(world, index).spec.unschedulable ?? false;

const causeOn = (world: VirtualWorld, index: number) =>
  tryCause({ annotations: nodeNow(world, index).metadata.annotations ?? {} }, drainReasons);

const queued = (world: VirtualWorld, name = "notices") => world.aws.sqs.findQueue(name).contents();

/** How long after a time something happened, to ten seconds. */
const secondsAfter = (from: Instant, [first]: readonly { readonly at: Instant }[]): number =>
  Math.round(between(from, first?.at ?? never) / 10_000) * 10;

/** How long after a time the first pod was asked to go, to ten seconds. */
const firstAsked = (world: VirtualWorld, from: Instant): number =>
  secondsAfter(from, evictionsIn(world));

// An hour before, and then the time in which the other affected nodes are marked.
const anHourBefore = -3600 + 30;

const passesOf = ({ entries }: VirtualWorld): number =>
  entries.filter(({ kind }) => kind === "pass-started").length;

describe("planned work on the host of an instance", () => {
  it("has its node drained an hour before", async () => {
    const world = aWorld();
    const start = announce(world);
    await world.work(days(3));
    expect(outcomes(world)).toEqual([drained]);
    expect(firstAsked(world, start)).toBe(anHourBefore);
    expect(namesOn(world, 1)).toEqual([]);
    expect(causeOn(world, 1)).toEqual({
      reason: "maintenance",
      deadline: later(start, minutes(-3)),
    });
    expect([...queued(world), ...queued(world, "dead-letters")]).toEqual([]);
    const told = eventsIn(world).filter(({ reason }) => reason === "DrainStarted");
    expect(told).toMatchObject([
      { note: expect.stringMatching(/asked to leave in 30 s, and have to by/) },
    ]);
  });

  it("stays in its load balancers, for it may live on, and nobody would register it again", async () => {
    const world = aWorld({ settings: { DRAIN_DEREGISTER: "if-nobody-does" } });
    const web = world.aws.elb.create({ name: "web", follows: "nobody" });
    web.register(instanceOf(1), 30080, "healthy");
    announce(world);
    await world.work(days(3));
    expect(namesOn(world, 1)).toEqual([]);
    expect(world.told("targets-deregistered")).toEqual([]);
  });

  it("has its node drained in time though nobody lets it be marked", async () => {
    const world = new VirtualWorld({ nodes: 3 });
    // Its pods find a better place.
    deploy(world, { name: "web", on: { 1: 2 } });
    const fault = refusal(403, "no");
    world.faults = failing(/^patch nodes/, fault);
    const start = announce(world, { startTime: later(world.timeline.now(), hours(3)) });
    await world.work(days(1));
    expect(namesOn(world, 1)).toEqual([]);
    // An hour before, and a little later: a moment in which a mark may still succeed.
    expect(firstAsked(world, start)).toBeLessThan(-3300);
  });

  it("has its node drained when the tag of the group says so", async () => {
    const world = aWorld({
      tags: { "eks-node-lifecycle/event-maintenance-lead-seconds": "7200" },
    });
    const start = announce(world);
    await world.work(days(3));
    expect(firstAsked(world, start)).toBe(-7200 + 30);
  });

  it("has its pods forced before it begins, and not before", async () => {
    const world = aBlockedWorld();
    const start = announce(world);
    await world.work(days(3));
    expect(secondsAfter(start, deletionsIn(world))).toBe(-180 - 30);
    expect(deletionsIn(world)).toHaveLength(2);
    expect(outcomes(world)).toMatchObject([{ kind: expect.stringMatching(/forced|drained/) }]);
  });

  it("has its node drained at once where it is near, in the time that is left", async () => {
    const world = aBlockedWorld();
    const start = later(world.timeline.now(), minutes(4));
    announce(world, { startTime: start });
    await world.work();
    expect(secondsAfter(start, world.told("node-marked"))).toBe(-240);
    expect(secondsAfter(start, deletionsIn(world))).toBe(-150);
  });

  it("keeps the node from new pods before any pod is asked to go, on every affected node", async () => {
    const world = new VirtualWorld({ nodes: 12 });
    const on = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    deploy(world, { name: "web", on: Object.fromEntries(on.map((index) => [index, 3])) });
    announce(world, { on });
    await world.work(days(3));
    const asked = evictionsIn(world)[0]?.at ?? never;
    const marked = world.told("node-marked");
    expect(marked).toHaveLength(10);
    expect(marked.every(({ at }) => at < asked)).toBe(true);
    expect(evictionsIn(world)).toHaveLength(30);
  });

  it("is tried, and nothing is written, in a dry run", async () => {
    const world = aWorld({ settings: { DRAIN_MODE: "dry-run" }, nodes: 3 });
    announce(world);
    announce(world, { on: [1, 2] });
    await world.work(days(1));
    expect(writtenIn(world).filter((what) => !/dryRun|eviction/.test(what))).toEqual([]);
    expect(
      outcomes(world)
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(["dry-run", "dry-run", "dry-run", "passed-on"]);
    expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
  });

  it("says which pods are left where force is switched off", async () => {
    const world = aWorld({ settings: { DRAIN_FORCE: "never" } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    announce(world);
    await world.work(days(3));
    const held = { why: expect.stringMatching(/^held for/) };
    expect(outcomes(world)).toEqual([
      {
        kind: "expired",
        left: [
          { about: "default/web-1", ...held },
          { about: "default/web-2", ...held },
        ],
      },
    ]);
    expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
  });
});

describe("planned work that gets another date", () => {
  it("has its node drained sooner if it is sooner, and once", async () => {
    const world = aWorld();
    announce(world);
    await world.work(days(1));
    const sooner = later(world.timeline.now(), hours(6));
    announce(world, { startTime: sooner });
    await world.work(days(3));
    expect(firstAsked(world, sooner)).toBe(anHourBefore);
    expect(outcomes(world)).toEqual([
      drained,
      ignored(`Health event ${retirement} now begins at 2026-11-21T16:00:00.000Z`),
    ]);
  });

  it("gives the node back in the middle of a drain if it is later", async () => {
    const world = aBlockedWorld();
    announce(world, { startTime: later(world.timeline.now(), minutes(30)) });
    await world.work(minutes(5));
    expect(isCordoned(world, 1)).toBe(true);
    const start = later(world.timeline.now(), days(2));
    announce(world, { startTime: start });
    await world.work(minutes(10));
    expect(isCordoned(world, 1)).toBe(false);
    expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
    await world.work(days(3));
    expect(secondsAfter(start, deletionsIn(world))).toBe(-180 - 30);
  });
});

describe("planned work of which somebody says something else in the name of the year 9999", () => {
  const since = instant(Date.UTC(9999, 11, 31));

  it.each<[string, Announcement]>([
    ["that it is called off", { status: "closed", since }],
    ["that it is later", { startTime: later(instant(Date.UTC(2026, 10, 20)), days(60)), since }],
  ])("is drained in time for all that AWS says later: %s", async (_, untrue) => {
    const world = aWorld();
    announce(world);
    await world.work(hours(1));
    forge(world, untrue);
    await world.work(hours(1));
    const start = announce(world, { startTime: later(world.timeline.now(), hours(30)) });
    await world.work(days(2));
    expect(firstAsked(world, start)).toBe(anHourBefore);
    expect(outcomes(world)).toContainEqual(drained);
  });

  it("keeps what AWS has said later, whenever the untrue message comes back", async () => {
    const world = aWorld();
    announce(world);
    await world.work(hours(1));
    forge(world, { startTime: later(world.timeline.now(), days(60)), since });
    await world.work(hours(1));
    const start = announce(world, { startTime: later(world.timeline.now(), days(10)) });
    await world.work(days(12));
    expect(firstAsked(world, start)).toBe(anHourBefore);
  });
});

describe("planned work that is closed", () => {
  const close = (world: VirtualWorld) => announce(world, { status: "closed" });

  it("is forgotten before its drain", async () => {
    const world = aWorld();
    const start = announce(world);
    await world.work(days(1));
    announce(world, { status: "closed", startTime: start });
    await world.work(days(4));
    expect(evictionsIn(world)).toEqual([]);
    expect(tracesOf(world, 1)).toMatchObject([{ event: retirement, startTime: never }]);
    expect(outcomes(world)).toEqual([
      { kind: "called-off", nodes: [] },
      ignored(`Health event ${retirement} is closed`),
    ]);
  });

  it("gives the node back in the middle of its drain", async () => {
    const world = aBlockedWorld();
    announce(world, { startTime: later(world.timeline.now(), minutes(30)) });
    await world.work(minutes(5));
    expect(isCordoned(world, 1)).toBe(true);
    close(world);
    await world.work(hours(2));
    expect(isCordoned(world, 1)).toBe(false);
    expect(causeOn(world, 1)).toBeUndefined();
    expect(deletionsIn(world)).toEqual([]);
    expect(outcomes(world)).toEqual([
      { kind: "called-off", nodes: [nodeOf(1)] },
      ignored(`Health event ${retirement} is closed`),
    ]);
  });

  it("gives the node back although a pass that is under way marks it anew", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
    announce(world, { startTime: later(world.timeline.now(), minutes(30)) });
    await world.work(seconds(31));
    expect(isCordoned(world, 1)).toBe(true);
    close(world);
    await world.work(hours(2));
    expect(isCordoned(world, 1)).toBe(false);
  });

  it("gives the node back after its drain", async () => {
    const world = aWorld();
    announce(world, { startTime: later(world.timeline.now(), minutes(30)) });
    await world.work(hours(1));
    expect(outcomes(world)).toEqual([drained]);
    expect(isCordoned(world, 1)).toBe(true);
    close(world);
    await world.work(hours(1));
    expect(isCordoned(world, 1)).toBe(false);
    expect(outcomes(world).at(-1)).toEqual({ kind: "called-off", nodes: [nodeOf(1)] });
  });

  it("is waited for again if it is opened again", async () => {
    const world = aWorld();
    announce(world);
    await world.work(hours(1));
    close(world);
    await world.work(hours(20));
    const start = announce(world);
    await world.work(days(4));
    expect(firstAsked(world, start)).toBe(anHourBefore);
  });

  it("leaves the mark that the node has for other work", async () => {
    const world = aBlockedWorld();
    const reboot = `${retirement}0`;
    announce(world, { startTime: later(world.timeline.now(), minutes(50)) });
    announce(world, { startTime: later(world.timeline.now(), minutes(55)), event: reboot });
    await world.work(minutes(5));
    close(world);
    await world.work(minutes(10));
    expect(isCordoned(world, 1)).toBe(true);
    await world.work(hours(1));
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("leaves the mark of a node that its hook drains", async () => {
    const world = aBlockedWorld();
    announce(world);
    await world.work(minutes(5));
    await world.drain(minutes(1));
    close(world);
    await world.work(minutes(5));
    expect(isCordoned(world, 1)).toBe(true);
    expect(causeOn(world, 1)?.reason).toBe("terminating");
  });
});

describe("a notice of planned work on several instances", () => {
  const on = [1, 2, 3, 4, 5, 6];

  it("becomes a notice for each of them", async () => {
    const world = new VirtualWorld({ nodes: 8 });
    deploy(world, { name: "web", on: { 1: 1, 4: 1, 6: 1 } });
    const start = announce(world, { on });
    await world.work(minutes(5));
    expect(outcomes(world)).toEqual([{ kind: "passed-on", instances: on.map(instanceOf) }]);
    expect(queued(world)).toHaveLength(6);
    await world.work(days(3));
    expect(firstAsked(world, start)).toBe(anHourBefore);
    expect(outcomes(world).slice(1)).toEqual(on.map(() => drained));
    expect([...queued(world), ...queued(world, "dead-letters")]).toEqual([]);
  });

  it("is counted once, however often and in however many pages it comes", async () => {
    const world = new VirtualWorld({ nodes: 8 });
    for (const page of [on, [7, 8], on, [1], [7, 8]]) announce(world, { on: page });
    await world.work(hours(1));
    expect(queued(world)).toHaveLength(8);
    await world.work(days(3));
    expect(world.told("pass-started").length).toBeLessThan(8 * 15);
    expect(world.told("node-marked")).toHaveLength(8);
    expect(outcomes(world).filter(({ kind }) => kind === "drained")).toHaveLength(8);
  });

  it("is sent on once although no trace can be written for a while", async () => {
    const world = new VirtualWorld({ nodes: 8 });
    const up = later(world.timeline.now(), minutes(10));
    world.faults = ({ what, at }) =>
      what.startsWith("patch nodes") && at < up
        ? { kind: "cluster-fault", fault: refusal(503, "no webhook"), moment: "before" }
        : well;
    announce(world, { on });
    await world.work(minutes(9));
    expect(queued(world)).toHaveLength(6);
    await world.work(days(3));
    expect(world.told("node-marked")).toHaveLength(6);
    expect([...queued(world), ...queued(world, "dead-letters")]).toEqual([]);
  });

  it("costs nothing but a question to Auto Scaling for the instances of others", async () => {
    const world = new VirtualWorld({ nodes: 3 });
    const foreign = Array.from({ length: 98 }, (_, index) => index + 1000);
    announce(world, { on: [1, ...foreign, 2] });
    await world.work(seconds(20));
    expect(outcomes(world)).toEqual([{ kind: "passed-on", instances: [1, 2].map(instanceOf) }]);
    const asked = world.requests.filter(({ what }) => what.startsWith("ec2"));
    expect(asked.map(({ what }) => what)).toEqual([
      "ec2 DescribeInstances",
      "ec2 DescribeInstanceStatus",
      "ec2 DescribeInstanceStatus",
      "ec2 DescribeInstances",
      "ec2 DescribeInstances",
    ]);
  });

  it("is ignored if none of them is ours", async () => {
    const world = new VirtualWorld({ nodes: 3 });
    announce(world, { on: [1000, 1001, 1002] });
    await world.work();
    expect(outcomes(world)).toEqual([
      ignored(
        `instance ${instanceOf(1000)} is in no Auto Scaling group, and neither are the 2 others`,
        "no group",
      ),
    ]);
  });

  it("is called off for all of them", async () => {
    const world = new VirtualWorld({ nodes: 8 });
    announce(world, { on, startTime: later(world.timeline.now(), minutes(30)) });
    await world.work(minutes(15));
    expect(on.every((index) => isCordoned(world, index))).toBe(true);
    announce(world, { on: on.slice(1), status: "closed" });
    await world.work(minutes(15));
    expect(on.map((index) => isCordoned(world, index))).toEqual([
      true,
      ...on.slice(1).map(() => false),
    ]);
    expect(outcomes(world).at(-1)).toEqual({
      kind: "called-off",
      nodes: on.slice(1).map(nodeOf),
    });
  });

  it("is worked on in as many passes as it takes", async () => {
    const world = new VirtualWorld({ nodes: 40 });
    const all = Array.from({ length: 40 }, (_, index) => index + 1);
    world.faults = ({ what }) => {
      if (what === "sqs SendMessage") world.pass(seconds(2));
      return { kind: "well" };
    };
    announce(world, { on: all });
    await world.work(hours(1));
    expect(outcomes(world)).toEqual([{ kind: "passed-on", instances: all.map(instanceOf) }]);
    expect(queued(world)).toHaveLength(40);
  });
});

describe("a kubelet that writes its node before each write of others", () => {
  const restless = (world: VirtualWorld) => {
    let times = 0;
    world.faults = ({ what }) => {
      if (what.startsWith("patch nodes"))
        changeNode(world, 1, (node) => {
          times += 1;
          const annotations = { ...node.metadata.annotations, written: `${times}` };
          return { ...node, metadata: { ...node.metadata, annotations } };
        });
      return well;
    };
  };

  it("has the work planned on its host looked at ever less often", async () => {
    const world = aWorld();
    restless(world);
    announce(world);
    await world.work(hours(3));
    expect(passesOf(world)).toBeLessThan(100);
  });

  it("has the end of that work looked at ever less often", async () => {
    const world = aWorld();
    const start = announce(world, { startTime: later(world.timeline.now(), minutes(30)) });
    await world.work(minutes(10));
    restless(world);
    announce(world, { status: "closed", startTime: start });
    const before = passesOf(world);
    await world.work(hours(3));
    expect(passesOf(world) - before).toBeLessThan(200);
  });
});

describe("an instance with planned work", () => {
  it("that has no node is let alone", async () => {
    const world = aWorld();
    world.cluster.removeNode(nodeOf(1));
    announce(world);
    await world.work();
    expect(outcomes(world)).toEqual([{ kind: "no-node" }]);
  });

  it("that ends before is no longer waited for", async () => {
    const world = aWorld();
    announce(world);
    await world.work(days(1));
    await world.drain(days(1));
    expect(outcomes(world)).toMatchObject([drained, { kind: "ignored" }]);
    expect(queued(world)).toEqual([]);
  });

  it.each(["Warmed:Stopped", "Terminating:Wait"] as const)(
    "that is %s is let alone",
    async (state) => {
      const world = aWorld();
      const { register } = world.aws.autoScaling;
      register.putInstance({ ...register.findInstance(instanceOf(1)), state });
      announce(world, { startTime: later(world.timeline.now(), minutes(30)) });
      await world.work();
      expect(outcomes(world)).toEqual([
        ignored(`instance ${instanceOf(1)} is ${state}`, isWarm(state) ? "in warm pool" : "other"),
      ]);
      expect(writtenIn(world)).toEqual([]);
    },
  );
});

describe("a saved event of AWS Health", () => {
  it.each([
    ["eb-health-ec2-retirement-scheduled-current", drained],
    ["eb-health-scheduled-change-legacy", drained],
    ["eb-health-ec2-issue-backup-event", ignored("the Health event is a backup copy", "unrelated")],
  ])("about an instance of a managed group has a result that fits: %s", async (name, outcome) => {
    const world = aWorld();
    const text = JSON.stringify(savedEvent(name));
    const ofOurs = text.replaceAll(/\bi-(?:[\da-f]{17}|[\da-f]{8})\b/g, instanceOf(1));
    const event = Object(JSON.parse(ofOurs));
    makeTrue(world.aws.ec2, event);
    world.send(event);
    await world.work();
    expect(outcomes(world)).toEqual([outcome]);
  });
});
