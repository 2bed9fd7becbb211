import { describe, expect, it } from "vitest";
import { between, hours, later, minutes, seconds } from "../../lambda/base/time.ts";
import { keepsInstance } from "../../lambda/notice/keeper.flow.ts";
import { endingsIn, evictedIn, outcomesIn, took } from "../world/evidence.ts";
import { awsFailing, type FaultPlan, well } from "../world/fault-plan.ts";
import { LaunchWorld, launched, launchHook } from "../world/launch-world.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { group, hook, instanceOf, type WorldOptions } from "../world/world-options.ts";

const denied = { status: 403, code: "AccessDenied", message: "no" } as const;
const tag = { key: "example.com/cluster", value: "demo" };
const chosenByTag = { MANAGED_GROUPS: JSON.stringify([tag]) };
const tags = { [tag.key]: tag.value };

const denying = (...calls: readonly string[]): FaultPlan =>
  awsFailing(new RegExp(`(?:${calls.join("|")})$`), denied);

const sole = [
  "DescribeAutoScalingInstances",
  "DescribeLifecycleHooks",
  "RecordLifecycleActionHeartbeat",
];

function aDrain(faults: FaultPlan, options: WorldOptions = {}): VirtualWorld {
  const world = new VirtualWorld(options);
  world.faults = faults;
  deploy(world, { name: "web", on: { 1: 2 } });
  world.terminate(1);
  return world;
}

const faultsOf = (world: VirtualWorld) => [...new Set(world.told("fault").map(({ code }) => code))];
const inDeadLetters = (world: VirtualWorld) =>
  world.aws.sqs.findQueue("dead-letters").contents().length;

describe("a terminating instance", () => {
  it.each(sole)("is drained though %s is denied for good", async (call) => {
    const world = aDrain(denying(call));
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(namesOn(world, 1)).toEqual([]);
    expect(took(world)).toBeLessThan(minutes(1));
    expect(faultsOf(world)).toEqual(["aws.denied"]);
  });

  it.each([
    ["DescribeAutoScalingInstances", "RecordLifecycleActionHeartbeat"],
    ["DescribeAutoScalingGroups", "RecordLifecycleActionHeartbeat"],
  ])("is not touched, and told, while neither %s nor %s tells whose it is", async (...calls) => {
    const world = aDrain(denying(...calls), { settings: chosenByTag, tags });
    await world.work(minutes(40));
    expect(evictedIn(world)).toEqual([]);
    expect(world.told("node-marked")).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by heartbeat-timeout"]);
    expect(faultsOf(world)).toEqual(["aws.denied"]);
  });

  it("whose hook is completed already is not touched though nothing but the heartbeat says so", async () => {
    const world = aDrain(denying("DescribeAutoScalingInstances", "DescribeLifecycleHooks"));
    const by = { kind: "instance", value: instanceOf(1) } as const;
    world.aws.autoScaling.complete({ group, hook, by }, "CONTINUE");
    await world.work(minutes(10));
    expect(outcomesIn(world)).toMatchObject([{ kind: "ignored", why: "not held" }]);
    expect(evictedIn(world)).toEqual([]);
  });

  it("of a group chosen by tag is held by heartbeats while its tags cannot be read, and drained once they can", async () => {
    const world = aDrain(
      ({ what, at }) =>
        what.endsWith("DescribeAutoScalingGroups") && at < healed
          ? { kind: "aws-fault", fault: denied, moment: "before" }
          : well,
      { settings: chosenByTag, tags, heartbeat: seconds(120) },
    );
    const healed = later(world.timeline.now(), minutes(8));
    await world.work(minutes(40));
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBeGreaterThan(minutes(8));
    expect(took(world)).toBeLessThan(minutes(11));
  });

  it("of a group chosen by tag is evicted from by nobody while the tags cannot be read, and let go at the deadline", async () => {
    const world = aDrain(denying("DescribeAutoScalingGroups"), { settings: chosenByTag, tags });
    await world.work(minutes(40));
    expect(evictedIn(world)).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBeLessThan(minutes(17));
  });

  it.each(["CONTINUE", "ABANDON"] as const)(
    "whose hook cannot be completed is not pinned: after its deadline it is left to the hook's timeout (%s)",
    async (defaultResult) => {
      const world = new VirtualWorld();
      world.faults = denying("CompleteLifecycleAction");
      deploy(world, { name: "web", on: { 1: 2 } });
      world.aws.autoScaling.putHook(group, {
        name: hook,
        transition: "autoscaling:EC2_INSTANCE_TERMINATING",
        defaultResult,
        targetArn: world.topicArn,
        heartbeat: minutes(30),
      });
      const begun = world.timeline.now();
      world.terminate(1);
      world.terminate(2);
      await world.work(hours(2));
      world.pass(hours(1));
      const ends = world.aws.autoScaling.actions().map(({ end }) => end);
      expect(ends).toHaveLength(2);
      expect(ends).toMatchObject([{ by: "heartbeat-timeout" }, { by: "heartbeat-timeout" }]);
      for (const end of ends)
        expect(between(begun, end.kind === "open" ? begun : end.at)).toBeLessThan(minutes(60));
      expect(namesOn(world, 1)).toEqual([]);
      expect(faultsOf(world)).toEqual(["aws.denied", "hook.uncompleted"]);
      expect(inDeadLetters(world)).toBe(2);
    },
  );
});

describe("a drain whose heartbeats are denied", () => {
  const slow = { "hollow/term-seconds": "10" };
  const stuck = (timeoutSeconds: number, heartbeat: number, faults: FaultPlan) => {
    const settings = { DRAIN_TIMEOUT_SECONDS: String(timeoutSeconds) };
    const world = new VirtualWorld({ settings, heartbeat: seconds(heartbeat) });
    world.faults = faults;
    deploy(world, { name: "web", annotations: slow, on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.terminate(1);
    return world;
  };

  it("ends before the hook's timeout does", async () => {
    const world = stuck(900, 300, denying("RecordLifecycleActionHeartbeat"));
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
    expect(took(world)).toBeLessThan(seconds(300));
  });

  it("keeps its own deadline where an earlier heartbeat must have been taken", async () => {
    let world: VirtualWorld;
    const begun = () => world.told("pass-started")[0]?.at ?? world.timeline.now();
    const faults: FaultPlan = ({ what, at }) =>
      what.endsWith("Heartbeat") && between(begun(), at) > seconds(320)
        ? { kind: "aws-fault", fault: denied, moment: "before" }
        : well;
    world = stuck(560, 300, (request) => faults(request));
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBeGreaterThan(seconds(520));
  });
});

describe("while Auto Scaling throttles heartbeats, or fails them", () => {
  const failures = [
    { status: 400, code: "Throttling", message: "Rate exceeded" },
    { status: 503, code: "ServiceUnavailable", message: "no" },
  ] as const;
  const beats = /RecordLifecycleActionHeartbeat$/;

  it.each(failures)("a terminating instance is drained all the same: $code", async (fault) => {
    const world = aDrain(awsFailing(beats, fault));
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(namesOn(world, 1)).toEqual([]);
    expect(took(world)).toBeLessThan(minutes(1));
    expect(faultsOf(world)).toEqual(["aws.unreachable"]);
  });

  it.each(failures)("a ready node goes into service all the same: $code", async (fault) => {
    const world = new LaunchWorld({ settings: { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" } });
    world.faults = awsFailing(beats, fault);
    world.launch();
    world.in(seconds(200), () => world.join());
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world).at(-1)).toMatchObject({ kind: "joined", node: launched.node });
  });

  it("budgets have the whole time of the drain, for a later heartbeat may hold the hook", async () => {
    const world = new VirtualWorld({ heartbeat: seconds(300) });
    world.faults = awsFailing(beats, failures[0], 8);
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.terminate(1);
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBeGreaterThan(minutes(14));
  });

  it("nothing is touched while the membership of the instance is denied too", async () => {
    const world = aDrain((request) => {
      const isThrottled = beats.test(request.what);
      return isThrottled
        ? { kind: "aws-fault", fault: failures[0], moment: "before" }
        : denying("DescribeAutoScalingInstances")(request);
    });
    await world.work(minutes(40));
    expect(evictedIn(world)).toEqual([]);
    expect(world.told("node-marked")).toEqual([]);
  });
});

describe("a launched instance whose node is ready", () => {
  const settings = { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" };

  function aLaunch(faults: FaultPlan, options: WorldOptions = {}): LaunchWorld {
    const world = new LaunchWorld({ ...options, settings: { ...settings, ...options.settings } });
    world.faults = faults;
    world.launch();
    world.in(seconds(20), () => world.join());
    return world;
  }

  it.each(sole)(
    "goes into service though %s is denied for good and the hook abandons",
    async (call) => {
      const world = aLaunch(denying(call));
      await world.work();
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(outcomesIn(world).at(-1)).toMatchObject({ kind: "joined", node: launched.node });
    },
  );

  it("goes into service though the tags by which its group is chosen cannot be read", async () => {
    const world = aLaunch(denying("DescribeAutoScalingGroups"), { settings: chosenByTag, tags });
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world).at(-1)).toMatchObject({ kind: "joined" });
  });

  it("is left to a hook that lets it go on, where that may not be completed", async () => {
    const world = new LaunchWorld();
    world.faults = denying("CompleteLifecycleAction");
    world.aws.autoScaling.putHook(group, {
      name: launchHook,
      transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
      defaultResult: "CONTINUE",
      targetArn: world.topicArn,
      heartbeat: minutes(30),
    });
    world.launch();
    world.join();
    await world.work(hours(1));
    world.pass(hours(1));
    expect(endingsIn(world)).toEqual(["CONTINUE by heartbeat-timeout"]);
    expect(faultsOf(world)).toEqual(["aws.denied", "hook.uncompleted"]);
  });

  it("is held as long as can be while its hook, which abandons, may not be completed", async () => {
    const world = aLaunch(denying("CompleteLifecycleAction"));
    await world.work(hours(2));
    expect(endingsIn(world)).toEqual(["open"]);
    expect(inDeadLetters(world)).toBe(0);
    world.faults = () => well;
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});

describe("the result of a hook", () => {
  it.each([
    ["launching", "CONTINUE", true],
    ["launching", "ABANDON", false],
    ["terminating", "CONTINUE", false],
    ["terminating", "ABANDON", true],
  ] as const)("says whether the instance runs on: of %s, %s", (transition, result, expected) => {
    expect(keepsInstance(transition, result)).toBe(expected);
  });
});

describe("a launched instance that never joins", () => {
  it.each([
    [["DescribeAutoScalingInstances", "DescribeAutoScalingGroups"]],
    [["RecordLifecycleActionHeartbeat", "DescribeAutoScalingGroups"]],
    [["RecordLifecycleActionHeartbeat"]],
  ])("is not ended where %j are denied, for what is known of it is not enough", async (calls) => {
    const world = new LaunchWorld({ settings: { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" } });
    world.faults = denying(...calls);
    world.launch();
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world).at(-1)).toMatchObject({ kind: "not-joined", result: "CONTINUE" });
  });
});
