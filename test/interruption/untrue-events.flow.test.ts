import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  type Instant,
  instant,
  later,
  milliseconds,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { nodeNow } from "../world/change.ts";
import {
  changeState,
  interrupt,
  interruptionOf,
  recommendationOf,
  stateChangeOf,
} from "../world/ec2-events.ts";
import { evictionsIn, writtenIn } from "../world/evidence.ts";
import { awsFailing, type FaultPlan, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";
import { announce, days, forge, retirement } from "./planned-work.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = { kind: "drained", attached: [], stuck: [] };
const untrue = (reason: string) => ({ kind: "ignored", why: "untrue", reason });
const noSpot = untrue(
  `instance ${instanceOf(1)} is no Spot instance, so EC2 does not interrupt it`,
);
const noWork = untrue(`EC2 has scheduled no work for instance ${instanceOf(1)}`);

function aWorld(options: ConstructorParameters<typeof VirtualWorld>[0] = {}): VirtualWorld {
  const world = new VirtualWorld(options);
  deploy(world, { name: "web", on: { 1: 3, 2: 3 } });
  return world;
}

const isCordoned = (world: VirtualWorld): boolean => nodeNow(world, 1).spec.unschedulable ?? false;

/** EC2 is silent until a time. */
const silentUntil = (until: Instant): FaultPlan => {
  const silent = awsFailing(/^ec2/, "hang");
  return (request) => (request.at < until ? silent(request) : well);
};

const refused = { code: "RequestLimitExceeded", message: "no", status: 503 };

/** EC2 plans work on the first instance, or says what has become of it. */
const schedule = (world: VirtualWorld, notBefore: Instant, description = "retired"): void =>
  world.aws.ec2.schedule(instanceOf(1), {
    id: "instance-event-1",
    code: "instance-retirement",
    notBefore,
    description,
  });

describe("the interruption of an On-Demand instance", () => {
  it("is ignored, and nothing is written", async () => {
    const world = aWorld();
    world.send(interruptionOf(world));
    await world.work();
    expect(outcomes(world)).toEqual([noSpot]);
    expect(writtenIn(world)).toEqual([]);
  });

  it.each(["spot", "interruptible-capacity-reservation"] as const)(
    "is drained if it is bought as %s",
    async (lifecycle) => {
      const world = aWorld();
      world.aws.ec2.buy(instanceOf(1), lifecycle);
      world.send(interruptionOf(world));
      await world.work();
      expect(outcomes(world)).toEqual([drained]);
    },
  );

  it("is taken for true while EC2 is silent, and taken back once EC2 answers", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.send(interruptionOf(world));
    world.faults = silentUntil(later(world.timeline.now(), seconds(20)));
    await world.work(seconds(15));
    expect(isCordoned(world)).toBe(true);
    await world.work();
    expect(outcomes(world)).toEqual([noSpot]);
    expect(isCordoned(world)).toBe(false);
  });
});

describe("a recommendation to rebalance an On-Demand instance", () => {
  it("cordons nothing where a fault of EC2 ended its first pass", async () => {
    const world = aWorld();
    const until = later(world.timeline.now(), seconds(8));
    const refusing = awsFailing(/^ec2/, refused);
    world.faults = (request) => (request.at < until ? refusing(request) : well);
    world.send(recommendationOf(world));
    await world.work();
    expect(world.told("fault")).not.toEqual([]);
    expect(outcomes(world)).toEqual([noSpot]);
    expect(isCordoned(world)).toBe(false);
  });

  it("is ignored, and cordons nothing", async () => {
    const world = aWorld();
    world.send(recommendationOf(world));
    await world.work();
    expect(outcomes(world)).toEqual([noSpot]);
    expect(writtenIn(world)).toEqual([]);
  });
});

describe("the interruption of a Spot instance of which EC2 says nothing", () => {
  it.each([
    ["does not answer", "hang"],
    ["refuses to answer", { code: "UnauthorizedOperation", message: "no", status: 403 }],
  ] as const)("counts as true within some seconds where EC2 %s", async (_, fault) => {
    const world = aWorld();
    const begun = world.timeline.now();
    interrupt(world);
    world.faults = awsFailing(/^ec2/, fault);
    await world.work(minutes(2));
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomes(world)).toEqual([drained]);
    expect(between(begun, evictionsIn(world)[0]?.at ?? begun)).toBeLessThan(seconds(10));
  });

  it("is no ended one, though its node is not ready", async () => {
    const world = aWorld();
    world.cluster.stopKubelet(nodeOf(1));
    world.pass(seconds(60));
    interrupt(world);
    world.faults = awsFailing(/^ec2/, "hang");
    await world.work(minutes(3));
    expect(outcomes(world)).not.toContainEqual({ kind: "instance-ended" });
    expect(evictionsIn(world)).not.toEqual([]);
  });
});

const throttledFor = (world: VirtualWorld, time: Duration): void => {
  const until = later(world.timeline.now(), time);
  const throttling = awsFailing(/^ec2/, refused);
  world.faults = (request) => (request.at < until ? throttling(request) : well);
};

const deletions = (world: VirtualWorld) =>
  world.requests.filter(({ what }) => what.startsWith("delete pods"));

describe("an interruption while EC2 throttles", () => {
  it("writes nothing for half a minute, and is ignored once EC2 says that it is no Spot instance", async () => {
    const world = aWorld();
    world.send(interruptionOf(world));
    throttledFor(world, seconds(25));
    await world.work();
    expect(outcomes(world)).toEqual([noSpot]);
    expect(writtenIn(world)).toEqual([]);
    expect(world.told("fault")).toEqual([]);
  });

  it.each([10, 25])(
    "of a Spot instance is a drain as soon as EC2 answers, after %i seconds",
    async (after) => {
      const world = aWorld();
      const begun = world.timeline.now();
      interrupt(world);
      throttledFor(world, seconds(after));
      await world.work(minutes(2));
      expect(outcomes(world)).toEqual([drained]);
      expect(between(begun, evictionsIn(world)[0]?.at ?? begun)).toBeLessThan(seconds(after + 8));
    },
  );

  it("that never ends drains a Spot instance after half a minute, within its two", async () => {
    const world = aWorld();
    const begun = world.timeline.now();
    interrupt(world);
    throttledFor(world, hours(1));
    await world.work(minutes(2));
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomes(world)).toEqual([drained]);
    expect(between(begun, evictionsIn(world)[0]?.at ?? begun)).toBeLessThan(seconds(40));
  });

  it("that never ends passes no budget, however early the event says that it was sent", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.send({
      ...interruptionOf(world),
      time: timestamp(later(world.timeline.now(), seconds(-100))),
    });
    throttledFor(world, minutes(5));
    await world.work(seconds(28));
    expect(writtenIn(world)).toEqual([]);
    await world.work(minutes(4));
    expect(deletions(world)).toEqual([]);
    expect(namesOn(world, 1)).toHaveLength(3);
  });

  it("that lasts a minute has its mark taken back from an On-Demand instance once EC2 answers", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.send(interruptionOf(world));
    throttledFor(world, seconds(60));
    await world.work(seconds(45));
    expect(isCordoned(world)).toBe(true);
    await world.work();
    expect(outcomes(world)).toEqual([noSpot]);
    expect(isCordoned(world)).toBe(false);
    expect(evictionsIn(world)).toEqual([]);
    expect(deletions(world)).toEqual([]);
  });

  it("costs one request for all notices of a batch, and for one that EC2 answers too", async () => {
    const world = aWorld({ nodes: 10 });
    for (let index = 1; index <= 10; index += 1)
      world.send(interruptionOf(world, instanceOf(index)));
    await world.work();
    expect(world.requests.filter(({ what }) => what.startsWith("ec2"))).toHaveLength(1);
    expect(outcomes(world)).toHaveLength(10);
    expect(writtenIn(world)).toEqual([]);
  });

  it("passes no budget, however long it lasts, and writes nothing for half a minute, whatever time the event claims", async () => {
    const anyLength = fc.integer({ min: 1, max: 100 });
    const property = fc.asyncProperty(anyLength, fc.nat(100), async (length, age) => {
      const world = aWorld();
      world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
      const time = timestamp(later(world.timeline.now(), seconds(-age)));
      world.send({ ...interruptionOf(world), time });
      throttledFor(world, seconds(length));
      await world.work(minutes(10));
      expect(deletions(world)).toEqual([]);
      expect(evictionsIn(world)).toEqual([]);
      // An event that claims to be old may have its short drain expire before EC2 answers; its node then stays marked.
      const isLeft = length > 28 && world.told("notice-done")[0]?.outcome.kind === "expired";
      if (!isLeft) expect(outcomes(world)).toEqual([noSpot]);
      expect(isCordoned(world)).toBe(isLeft);
      if (length < 28) expect(writtenIn(world)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 8 });
  });
});

describe("a change of state of an instance that runs", () => {
  it.each(["stopping", "shutting-down"] as const)(
    "to %s is asked about again within seconds, and then ignored",
    async (state) => {
      const world = aWorld();
      const begun = world.timeline.now();
      world.send(stateChangeOf(world, state));
      await world.work();
      const reason = `instance ${instanceOf(1)} runs, and EC2 does not end it`;
      expect(outcomes(world)).toEqual([untrue(reason)]);
      expect(writtenIn(world)).toEqual([]);
      expect(world.told("pass-started")).toHaveLength(4);
      expect(between(begun, world.told("notice-done")[0]?.at ?? begun)).toBeLessThan(seconds(15));
    },
  );

  it("counts once EC2 says it too, within seconds", async () => {
    const world = aWorld();
    world.send(stateChangeOf(world, "shutting-down"));
    world.in(seconds(3), () => world.aws.ec2.setState(instanceOf(1), "shutting-down"));
    await world.work();
    expect(outcomes(world)).toEqual([drained]);
  });

  it("is drained at once where EC2 says the same", async () => {
    const world = aWorld();
    changeState(world, "stopping");
    await world.work();
    expect(outcomes(world)).toEqual([drained]);
    expect(world.told("pass-started")).toHaveLength(1);
  });
});

const yearsAhead = instant(Date.UTC(9999, 11, 31));

describe("a Health event of which EC2 knows nothing", () => {
  it("about every instance touches no node, and is ignored after an hour", async () => {
    const world = aWorld({ nodes: 6 });
    const startTime = later(world.timeline.now(), milliseconds(-1000));
    forge(world, { on: [1, 2, 3, 4, 5, 6], startTime });
    await world.work(hours(3));
    expect(writtenIn(world)).toEqual([]);
    expect(outcomes(world)).toEqual([untrue("EC2 has scheduled no work for any of its instances")]);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("that claims to be of the year 9999 is ignored after an hour as well", async () => {
    const world = aWorld();
    const startTime = later(world.timeline.now(), milliseconds(-1000));
    forge(world, { startTime, since: yearsAhead });
    await world.work(hours(3));
    expect(outcomes(world)).toEqual([noWork]);
    expect(world.told("pass-started").length).toBeLessThan(15);
  });

  it("that announces work in the year 9999 is ignored at once, also beside true work", async () => {
    const world = aWorld();
    schedule(world, later(world.timeline.now(), days(2)));
    forge(world, { startTime: yearsAhead });
    await world.work(days(1));
    expect(outcomes(world)).toEqual([noWork]);
    expect(writtenIn(world)).toEqual([]);
  });

  it("about one instance leaves no trace, and is ignored an hour after its date", async () => {
    const world = aWorld();
    forge(world);
    await world.work(days(3));
    expect(writtenIn(world)).toEqual([]);
    expect(outcomes(world)).toEqual([noWork]);
  });

  it("is worked on once EC2 has scheduled it, a week later too", async () => {
    const world = aWorld({ nodes: 3 });
    const startTime = forge(world, {
      on: [1, 2],
      startTime: later(world.timeline.now(), days(10)),
    });
    const planned = { id: "1", code: "instance-stop", description: "", notBefore: startTime };
    world.in(days(7), () => {
      for (const index of [1, 2])
        world.aws.ec2.schedule(instanceOf(index), { ...planned, code: "instance-stop" });
    });
    await world.work(days(11));
    expect(outcomes(world)).toEqual([
      { kind: "passed-on", instances: [1, 2].map(instanceOf) },
      drained,
      drained,
    ]);
    expect(evictionsIn(world)[0]?.at).toBeGreaterThan(later(startTime, minutes(-61)));
  });

  it("keeps no other instance of it from its drain", async () => {
    const world = aWorld({ nodes: 3 });
    const startTime = forge(world, { on: [1, 2] });
    schedule(world, startTime);
    await world.work(days(3));
    expect(outcomes(world)).toEqual([drained, { kind: "passed-on", instances: [instanceOf(1)] }]);
    expect(nodeNow(world, 2).spec.unschedulable ?? false).toBe(false);
  });

  it("hastens no work that EC2 has scheduled for later", async () => {
    const world = aWorld();
    schedule(world, later(world.timeline.now(), days(10)));
    forge(world, { startTime: world.timeline.now() });
    await world.work(days(8));
    expect(writtenIn(world)).toEqual([]);
  });
});

describe("a Health event that EC2 has confirmed", () => {
  const changedAfter = async (wait: Duration, change: (world: VirtualWorld) => void) => {
    const world = aWorld();
    announce(world);
    world.in(wait, () => change(world));
    await world.work(days(3));
    return world;
  };

  it("is not worked on if EC2 has called the work off when its drain would begin", async () => {
    const world = await changedAfter(days(1), ({ aws: { ec2 } }) => {
      for (const event of ec2.scheduled(instanceOf(1)))
        ec2.schedule(instanceOf(1), { ...event, description: "[Canceled] retired" });
    });
    expect(evictionsIn(world)).toEqual([]);
    expect(isCordoned(world)).toBe(false);
    expect(outcomes(world)).toEqual([noWork]);
  });

  it("is worked on although EC2 is silent when its drain begins", async () => {
    const silence = awsFailing(/DescribeInstanceStatus/, refused);
    const world = await changedAfter(days(1), (it) => Object.assign(it, { faults: silence }));
    expect(outcomes(world)).toEqual([drained]);
  });
});

describe("an untrue Health event about an instance with true work", () => {
  it("puts off no drain by a later date for it", async () => {
    const world = aWorld();
    const start = announce(world);
    await world.work(hours(1));
    for (const by of [minutes(30), hours(23), days(300)])
      forge(world, { startTime: later(start, by), since: world.timeline.now() });
    await world.work(days(3));
    expect(outcomes(world)).toContainEqual(drained);
    expect(evictionsIn(world)[0]?.at).toBeLessThan(later(start, minutes(-55)));
    expect(isCordoned(world)).toBe(true);
  });

  it.each(["closed", "open"] as const)(
    "opens no node that is drained for it, however many others are %s",
    async (status) => {
      const world = aWorld();
      announce(world, { startTime: later(world.timeline.now(), minutes(50)) });
      await world.work(minutes(10));
      expect(outcomes(world)).toEqual([drained]);
      const startTime = later(world.timeline.now(), days(20));
      for (let index = 1; index <= 10; index += 1)
        forge(world, { status, startTime, event: `${retirement}-${index}` });
      await world.work(minutes(10));
      expect(isCordoned(world)).toBe(true);
      expect(namesOn(world, 1)).toEqual([]);
    },
  );

  it("opens no node that is drained for it, though so many begin sooner that its trace has no room, and are called off", async () => {
    const world = aWorld();
    announce(world, { startTime: later(world.timeline.now(), minutes(50)) });
    await world.work(minutes(10));
    const startTime = later(world.timeline.now(), minutes(5));
    for (const status of ["open", "closed"] as const) {
      for (let index = 1; index <= 9; index += 1)
        forge(world, { status, startTime, event: `${retirement}-${index}` });
      await world.work(minutes(2));
    }
    expect(isCordoned(world)).toBe(true);
    expect(namesOn(world, 1)).toEqual([]);
  });
});

describe("an untrue Health event beside true work that is over", () => {
  it("keeps no node closed, for EC2 lists nothing more", async () => {
    const world = aWorld();
    const startTime = later(world.timeline.now(), minutes(50));
    announce(world, { startTime });
    await world.work(minutes(10));
    const before = later(world.timeline.now(), milliseconds(-days(10)));
    for (let index = 1; index <= 10; index += 1)
      forge(world, { startTime: before, event: `${retirement}-${index}` });
    await world.work(minutes(10));
    expect(isCordoned(world)).toBe(true);
    announce(world, { startTime, status: "closed" });
    await world.work(minutes(10));
    expect(isCordoned(world)).toBe(false);
  });
});

describe("what an untrue event costs", () => {
  const old = { on: [1, 2, 3, 4, 5, 6] } as const;
  const justNow = (world: VirtualWorld) => later(world.timeline.now(), milliseconds(-1000));

  it.each<[string, (world: VirtualWorld) => void, object]>([
    [
      "an interruption",
      (world) => world.send(interruptionOf(world)),
      { passes: 1, ec2: 1, aws: 3 },
    ],
    [
      "advice to rebalance",
      (world) => world.send(recommendationOf(world)),
      { passes: 1, ec2: 1, aws: 3 },
    ],
    [
      "a change of state",
      (world) => world.send(stateChangeOf(world, "stopping")),
      { passes: 4, ec2: 4, aws: 12 },
    ],
    [
      "work on six instances that was due a moment ago",
      (world) => {
        forge(world, { ...old, startTime: justNow(world) });
      },
      { passes: 9, ec2: 63, aws: 81 },
    ],
    [
      "work on six instances that is due in ten days",
      (world) => {
        forge(world, { ...old, startTime: later(world.timeline.now(), days(10)) });
      },
      { passes: 36, ec2: 252, aws: 324 },
    ],
  ])("is so many requests for %s, as docs/security.md says", async (_, send, cost) => {
    const world = aWorld({ nodes: 6 });
    send(world);
    await world.work(days(14));
    const asked = (pattern: RegExp) =>
      world.requests.filter(({ what }) => pattern.test(what)).length;
    expect({
      passes: world.told("pass-started").length,
      ec2: asked(/^ec2/),
      aws: asked(/^(ec2|autoscaling)/),
    }).toEqual(cost);
    expect(writtenIn(world)).toEqual([]);
  });
});
