import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import type { PoolSpec } from "../../sandbox/aws/pool.ts";
import { excludeLabelledNodes } from "../../sandbox/cloud-controller.ts";
import { evictionsIn } from "../world/evidence.ts";
import { awsFailing, failing, well } from "../world/fault-plan.ts";
import { requestsThrough } from "../world/requests-through.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { group, instanceOf } from "../world/world-options.ts";

interface Land {
  readonly pool?: Partial<PoolSpec>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly nodes?: number;
}

/** A world whose nodes are healthy targets of one group, with a pod on the first and one on the second. */
function aWorld({ pool = {}, settings = {}, nodes = 2 }: Land = {}) {
  const world = new VirtualWorld({ settings, nodes });
  const web = world.aws.elb.create({ name: "web", ...pool });
  for (let index = 1; index <= nodes; index += 1) web.register(instanceOf(index), 30080, "healthy");
  excludeLabelledNodes(world);
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  return { world, web };
}

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = [{ kind: "drained", attached: [], stuck: [] }];
const calls = (world: VirtualWorld, action: string) => world.aws.calls.of(action).length;
const askedOfBalancers = (world: VirtualWorld) =>
  world.requests.filter(({ what }) => what.startsWith("elasticloadbalancing"));

/** The seconds from the mark to the first eviction, and to the completion of the hook. */
function waits(world: VirtualWorld) {
  const [marked] = world.told("node-marked");
  const [evicted] = evictionsIn(world);
  const [completed] = world.told("hook-completed");
  const since = (at: number | undefined) => ((at ?? Number.NaN) - (marked?.at ?? 0)) / 1000;
  return { evicted: since(evicted?.at), completed: since(completed?.at) };
}

async function drain(world: VirtualWorld, index = 1): Promise<void> {
  world.terminate(index);
  await world.work();
}

const about = "target group web, port 30080";
const why = "still sends requests to the instance";
const serving = `${about}: ${why}`;
const draining = "target group web, port 30080: lets the last requests to the instance end";

describe("a drain behind a target group", () => {
  it("evicts once the target is draining, and completes the hook once it is out", async () => {
    const { world } = aWorld({ pool: { delay: seconds(120) } });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    const { evicted, completed } = waits(world);
    // The controller needs 3 s, and the next look comes after 5 s.
    expect(evicted).toBe(5);
    expect(completed).toBeGreaterThanOrEqual(3 + 120);
    expect(completed).toBeLessThanOrEqual(3 + 120 + 15);
    const told = world.told("targets-awaited").map(({ targets }) => targets);
    expect(told.slice(0, 2)).toEqual([[serving], [draining]]);
    expect(new Set(told.flat())).toEqual(new Set([serving, draining]));
    expect(told.length).toBeLessThanOrEqual(1 + world.told("pass-started").length);
    expect(world.told("targets-gone")).toHaveLength(1);
  });

  it("asks for its targets while the API server still lists the pods", async () => {
    const { world } = aWorld();
    world.cluster.failNext({ verb: "list", plural: "pods" }, { slow: seconds(4) });
    await drain(world);
    const [marked] = world.told("node-marked");
    const [seen] = world.told("pods-seen");
    expect(askedOfBalancers(world)[0]?.at).toBe(marked?.at);
    expect((seen?.at ?? 0) - (marked?.at ?? 0)).toBe(4000);
  });

  it("loses no request, and without the wait it loses some", async () => {
    const lost = async (settings: Readonly<Record<string, string>>) => {
      const { world, web } = aWorld({ pool: { delay: seconds(60) }, settings });
      const requests = requestsThrough(world, web, { app: "web", lasting: seconds(20) });
      await drain(world);
      world.pass(minutes(1));
      expect(requests.sent()).toBeGreaterThan(100);
      return requests.failed();
    };
    expect(await lost({})).toBe(0);
    expect(await lost({ DRAIN_TARGET_TIMEOUT_SECONDS: "0" })).toBeGreaterThan(10);
  });

  it("waits although its pods left in time for a deadline that is long past: the clock is its own", async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "30" };
    const { world } = aWorld({ pool: { delay: seconds(200) }, settings });
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).completed).toBeGreaterThanOrEqual(203);
  });

  it("waits at the deadline of a drain whose pods did not go", async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "30", DRAIN_FORCE: "never" };
    const { world } = aWorld({ pool: { delay: seconds(100) }, settings });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await drain(world);
    expect(outcomes(world)).toMatchObject([{ kind: "expired" }]);
    expect(waits(world).completed).toBeGreaterThanOrEqual(103);
  });

  it("waits on when the function dies, and the hook is not completed before", async () => {
    const { world } = aWorld({ pool: { delay: seconds(150) } });
    world.dieIn(seconds(60));
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).completed).toBeGreaterThanOrEqual(153);
  });

  it("waits for each port, each group and a classic load balancer", async () => {
    const { world, web } = aWorld({ pool: { delay: seconds(10) } });
    web.register(instanceOf(1), 30443, "healthy");
    const api = world.aws.elb.create({ name: "api", delay: seconds(20) });
    api.register(instanceOf(1), 31000, "healthy");
    const old = world.aws.elb.create({ name: "old", kind: "classic", delay: seconds(90) });
    old.register(instanceOf(1), 0, "healthy");
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).completed).toBeGreaterThanOrEqual(93);
    expect(world.told("targets-awaited")[0]?.targets).toEqual([
      serving,
      serving.replace("30080", "30443"),
      "target group api, port 31000: still sends requests to the instance",
      "classic load balancer old: still sends requests to the instance",
    ]);
  });

  it("finds its group deregistered by the Auto Scaling group itself before the hook", async () => {
    const { world, web } = aWorld({ pool: { delay: seconds(40), follows: "nobody" } });
    const found = world.aws.autoScaling.register.findGroup(group);
    world.aws.autoScaling.register.put({ ...found, balancers: ["web"] });
    const before = world.timeline.now();
    world.terminate(1);
    world.pass(minutes(1));
    const [action] = world.aws.autoScaling.actions();
    expect((action?.startedAt ?? 0) - before).toBeGreaterThanOrEqual(seconds(40));
    expect(web.targets().map(({ instance }) => instance)).toEqual([instanceOf(2)]);
    await world.work();
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).evicted).toBe(0);
  });
});

describe("a target that nobody takes out", () => {
  const nobody = { follows: "nobody" } as const;

  it("holds evictions for a tenth of the drain's time, and the hook until the wait is over, and is named", async () => {
    const { world } = aWorld({ pool: { ...nobody, delay: seconds(100) } });
    await drain(world);
    expect(outcomes(world)).toEqual([
      { kind: "drained", attached: [], targets: [{ about, why }], stuck: [] },
    ]);
    const { evicted, completed } = waits(world);
    expect(evicted).toBeGreaterThanOrEqual(90);
    expect(evicted).toBeLessThanOrEqual(100);
    expect(completed).toBe(190);
  });

  it("is deregistered by the function where that is wished, ten seconds after the mark", async () => {
    const settings = { DRAIN_DEREGISTER: "if-nobody-does" };
    const { world, web } = aWorld({ pool: { ...nobody, delay: seconds(60) }, settings });
    web.register(instanceOf(1), 30443, "healthy");
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(world.told("targets-deregistered")).toHaveLength(1);
    expect(waits(world)).toMatchObject({ evicted: 10 });
    expect(waits(world).completed).toBeGreaterThanOrEqual(70);
    expect(web.targets().map(({ instance }) => instance)).toEqual([instanceOf(2)]);
  });

  it("is followed on although the function may not deregister it", async () => {
    const settings = { DRAIN_DEREGISTER: "if-nobody-does" };
    const { world, web } = aWorld({ pool: { ...nobody, delay: seconds(30) }, settings });
    const fault = { code: "AccessDenied", message: "no", status: 403 };
    world.faults = awsFailing(/DeregisterTargets/, fault);
    world.in(seconds(30), () => web.deregister(instanceOf(1)));
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).evicted).toBeLessThanOrEqual(35);
    expect(waits(world).completed).toBeLessThanOrEqual(75);
    expect(world.told("fault")).toMatchObject([{ code: "aws.denied" }]);
  });

  it("is not deregistered where a controller does so, nor without the wish", async () => {
    const settings = { DRAIN_DEREGISTER: "if-nobody-does" };
    const followed = aWorld({ pool: { delay: seconds(60) }, settings }).world;
    await drain(followed);
    expect(calls(followed, "DeregisterTargets")).toBe(0);
    const unwished = aWorld({ pool: nobody }).world;
    await drain(unwished);
    expect(calls(unwished, "DeregisterTargets")).toBe(0);
  });
});

describe("load balancers that do not matter", () => {
  it("hold nothing: IP targets, groups of other VPCs or in no use, groups without the instance", async () => {
    const { world } = aWorld({ pool: { targets: "ip" } });
    const { elb } = world.aws;
    elb.create({ name: "elsewhere", vpc: "vpc-1" }).register(instanceOf(1), 80, "healthy");
    elb.create({ name: "spare", use: "unused" }).register(instanceOf(1), 80, "healthy");
    elb.create({ name: "others" }).register(instanceOf(2), 80, "healthy");
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).evicted).toBe(0);
    expect(calls(world, "DescribeTargetHealth")).toBe(1);
    expect(calls(world, "DescribeTargetGroupAttributes")).toBe(0);
    expect(world.told("targets-awaited")).toEqual([]);
  });

  it("cost a cluster that has none one call to each of the two APIs an hour", async () => {
    const world = new VirtualWorld({ nodes: 3 });
    const asked = () => askedOfBalancers(world).map(({ what }) => what.split(" ")[1]);
    await drain(world, 1);
    world.pass(minutes(50));
    await drain(world, 2);
    const both = ["DescribeTargetGroups", "DescribeLoadBalancers"];
    expect(asked()).toEqual(both);
    world.pass(hours(1));
    await drain(world, 3);
    expect(asked()).toEqual([...both, ...both]);
  });

  it("cost nothing where the setting is 0", async () => {
    const { world } = aWorld({ settings: { DRAIN_TARGET_TIMEOUT_SECONDS: "0" } });
    await drain(world);
    expect(askedOfBalancers(world)).toEqual([]);
    expect(waits(world).evicted).toBe(0);
  });
});

describe("a lookup that fails", () => {
  const broken = (code: string, status: number) => {
    const { world } = aWorld({ pool: { follows: "nobody" } });
    world.faults = awsFailing(/^elasticloadbalancing/, { code, message: "no", status });
    return world;
  };

  it("for good holds nothing, and is told", async () => {
    const world = broken("AccessDenied", 403);
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).evicted).toBe(0);
    expect(world.told("fault")).toMatchObject([{ code: "aws.denied" }]);
  });

  it("for now is repeated; evictions wait ten seconds for it, and the drain goes on", async () => {
    const world = broken("Throttling", 400);
    await drain(world);
    const targets = [{ about: "load balancers", why: "they have not answered yet" }];
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: [], targets, stuck: [] }]);
    expect(waits(world).evicted).toBe(10);
    expect(world.told("fault").map(({ code }) => code)).toContain("aws.unreachable");
  });

  it("of one load balancer ends the wait for no other", async () => {
    const { world } = aWorld({ pool: { delay: seconds(60) } });
    world.aws.elb.create({ name: "old", kind: "classic" }).register(instanceOf(1), 0, "healthy");
    world.faults = awsFailing(/DescribeInstanceHealth/, "throttle");
    await drain(world);
    const targets = [{ about: "load balancers", why: "they have not answered yet" }];
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: [], targets, stuck: [] }]);
    expect(waits(world).evicted).toBeGreaterThanOrEqual(3);
    expect(waits(world).completed).toBeGreaterThanOrEqual(63);
    expect(waits(world).completed).toBeLessThanOrEqual(63 + 30);
  });

  it("of one load balancer hides from no drain what another says", async () => {
    const { world } = aWorld({ pool: { delay: seconds(60) } });
    const old = world.aws.elb.create({ name: "old", kind: "classic", delay: minutes(5) });
    old.register(instanceOf(1), 0, "healthy");
    old.deregister(instanceOf(1));
    let asked = 0;
    const silent = awsFailing(/DescribeInstanceHealth/, "throttle");
    world.faults = (request) => {
      if (/DescribeInstanceHealth/.test(request.what)) asked += 1;
      return asked > 1 ? silent(request) : well;
    };
    await drain(world);
    expect(waits(world).evicted).toBeGreaterThanOrEqual(3);
    expect(waits(world).evicted).toBeLessThan(30);
  });

  it("once does not end the wait", async () => {
    const { world } = aWorld({ pool: { delay: seconds(60) } });
    world.aws.faults.failNext(
      { service: "elasticloadbalancing", action: "DescribeTargetHealth" },
      "throttle",
      { times: 4 },
    );
    await drain(world);
    expect(outcomes(world)).toEqual(drained);
    expect(waits(world).completed).toBeGreaterThanOrEqual(63);
  });
});

describe("a drain that fails up to its deadline", () => {
  const silent = (settings: Readonly<Record<string, string>> = {}) => {
    const pool = { follows: "nobody", delay: seconds(60) } as const;
    const { world, web } = aWorld({
      pool,
      settings: { DRAIN_TIMEOUT_SECONDS: "60", ...settings },
    });
    world.faults = failing(/./, "reset");
    return { world, web };
  };

  it("takes its instance out of its load balancers all the same, and releases it then", async () => {
    const { world, web } = silent({ DRAIN_DEREGISTER: "if-nobody-does" });
    const [sent] = [world.timeline.now()];
    await drain(world);
    expect(outcomes(world)).toMatchObject([{ kind: "expired" }]);
    expect(web.targets().map(({ instance }) => instance)).toEqual([instanceOf(2)]);
    const [completed] = world.told("hook-completed");
    expect((completed?.at ?? 0) - sent).toBeGreaterThanOrEqual(seconds(60 + 60));
  });

  it("asks of no load balancer where the setting is 0", async () => {
    const { world, web } = silent({
      DRAIN_TARGET_TIMEOUT_SECONDS: "0",
      DRAIN_DEREGISTER: "if-nobody-does",
    });
    await drain(world);
    expect(outcomes(world)).toMatchObject([{ kind: "expired", left: [expect.anything()] }]);
    expect(askedOfBalancers(world)).toEqual([]);
    expect(web.targets()).toHaveLength(2);
  });

  it("does not wait for a target that stays, and names it", async () => {
    const { world } = silent();
    const sent = world.timeline.now();
    await drain(world);
    expect(outcomes(world)).toMatchObject([
      { kind: "expired", left: [expect.anything(), { about, why }] },
    ]);
    const [completed] = world.told("hook-completed");
    expect((completed?.at ?? 0) - sent).toBeLessThan(seconds(60 + 30));
  });
});
