import { beforeEach, describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  later,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import type { Ignorance } from "../../lambda/notice/outcome.ts";
import { budgets } from "../../sandbox/kubernetes/budget.ts";
import { interrupt } from "../world/ec2-events.ts";
import { completionsIn, endingsIn, outcomesIn, writtenIn } from "../world/evidence.ts";
import { awsFailing, well } from "../world/fault-plan.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { LaunchWorld, launched, launchHook } from "../world/launch-world.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";
import { group, hook, instanceOf, nodeOf } from "../world/world-options.ts";

const zone = "eu-west-1a";
const first = instanceOf(1);

function aWorld(): VirtualWorld {
  const world = new VirtualWorld({ heartbeat: seconds(60) });
  deploy(world, { name: "web", on: { 1: 2 } });
  world.aws.autoScaling.createGroup({ name: "others", zones: [zone] });
  return world;
}

/** A world whose first instance is held, and whose own notice is removed from the queue. */
async function aHeldWorld(): Promise<VirtualWorld> {
  const world = aWorld();
  world.terminate(1);
  await world.drop();
  return world;
}

/** Works on what was sent, and expects that no request reached the cluster. */
async function expectIgnored(
  world: VirtualWorld,
  reason: string,
  why: Ignorance["why"] = "not held",
): Promise<void> {
  await world.work(minutes(10));
  expect(outcomesIn(world)).toEqual([{ kind: "ignored", why, reason }]);
  expect(world.requests.filter(({ to }) => to === "cluster")).toEqual([]);
  expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
  expect(world.aws.calls.of("CompleteLifecycleAction")).toEqual([]);
  expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
}

describe("a notice is ignored, and nothing is touched, when", () => {
  it("its group is not managed here", async () => {
    const world = await aHeldWorld();
    world.send(hookNotice(world, { AutoScalingGroupName: "others" }));
    await expectIgnored(
      world,
      "group others is not managed here (managed: workers)",
      "not managed",
    );
  });
});

describe("a group that is deleted by force", () => {
  const fault = {
    code: "ValidationError",
    message: "AutoScalingGroup name not found - null",
    status: 400,
  };

  it.each(["DescribeLifecycleHooks", "RecordLifecycleActionHeartbeat"])(
    "just before %s leaves a notice that is ignored, and no dead letter",
    async (action) => {
      const world = aWorld();
      world.terminate(1);
      world.faults = ({ what }) =>
        what.endsWith(action) ? { kind: "aws-fault", moment: "before", fault } : well;
      await world.work(minutes(10));
      expect(outcomesIn(world)).toMatchObject([{ kind: "ignored" }]);
      expect(world.aws.sqs.findQueue("dead-letters").contents()).toEqual([]);
    },
  );

  it("in the middle of a drain ends it as released elsewhere", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.terminate(1);
    let beats = 0;
    world.faults = ({ what }) => {
      if (!what.endsWith("RecordLifecycleActionHeartbeat")) return well;
      beats += 1;
      return beats === 1 ? well : { kind: "aws-fault", moment: "before", fault };
    };
    await world.work(minutes(1));
    expect(outcomesIn(world)).toEqual([{ kind: "released-elsewhere" }]);
    expect(world.aws.sqs.findQueue("dead-letters").contents()).toEqual([]);
  });
});

describe("EC2", () => {
  const asked = (world: VirtualWorld) => world.aws.calls.all().map(({ action }) => action);

  it("is asked about a held instance beside Auto Scaling, so that the mark does not wait for it", async () => {
    const world = aWorld();
    await world.drain();
    const [first, ...others] = asked(world);
    expect(first).toBe("DescribeAutoScalingInstances");
    expect(others.indexOf("DescribeInstances")).toBeLessThan(
      others.indexOf("DescribeAutoScalingGroups"),
    );
    expect(others.filter((action) => action === "DescribeInstances")).toHaveLength(1);
  });

  it("is not asked about an instance that no hook holds", async () => {
    const world = aWorld();
    world.send(hookNotice(world));
    await world.work();
    expect(asked(world)).not.toContain("DescribeInstances");
  });

  it("may fail meanwhile, and the notice is ignored all the same where its token is made up", async () => {
    const world = await aHeldWorld();
    const refused = { status: 403, code: "UnauthorizedOperation", message: "no" };
    world.faults = awsFailing(/^ec2 DescribeInstances$/, refused);
    const token = "11111111-2222-4333-8444-555555555555";
    world.send(hookNotice(world, { LifecycleActionToken: token }));
    await world.work(minutes(10));
    expect(outcomesIn(world)).toMatchObject([{ kind: "ignored" }]);
  });
});

describe("a notice about a held instance is still ignored when", () => {
  it("its token is made up", async () => {
    const world = await aHeldWorld();
    const token = "11111111-2222-4333-8444-555555555555";
    world.send(hookNotice(world, { LifecycleActionToken: token }));
    const reason = `no active lifecycle action of ${first} has the token ${token}`;
    await expectIgnored(world, reason);
    expect(endingsIn(world)).toEqual(["open"]);
  });

  it("its hook is already completed", async () => {
    const world = await aHeldWorld();
    world.send(hookNotice(world));
    completeByHand(world);
    await expectIgnored(world, `instance ${first} is Terminating:Proceed, not Terminating:Wait`);
  });

  it.each(["made up", "true", "unsaid"] as const)(
    "it calls the return to a warm pool a launch, with a token that is %s: no pod is lost by that",
    async (token) => {
      const world = aWorld();
      world.aws.autoScaling.begin(first, "return-to-warm-pool");
      await world.drop();
      const [action] = world.aws.autoScaling.actions();
      const tokens = { "made up": "11111111-2222-4333-8444-555555555555", unsaid: "unsaid" };
      const claims = { LifecycleActionToken: { ...tokens, true: action?.token ?? "" }[token] };
      const launch = "autoscaling:EC2_INSTANCE_LAUNCHING";
      world.send(hookNotice(world, { LifecycleTransition: launch, ...claims }));
      await expectIgnored(world, `hook ${hook} of group ${group} is for terminating instances`);
      expect(endingsIn(world)).toEqual(["open"]);
    },
  );

  it("it calls the launch into a warm pool a termination", async () => {
    const world = new LaunchWorld();
    world.launch("launch-into-warm-pool");
    await world.drop();
    const claims = { EC2InstanceId: launched.id, LifecycleHookName: launchHook };
    world.send(hookNotice(world, claims));
    await world.work(minutes(10));
    const reason = `hook ${launchHook} of group ${group} is for launching instances`;
    expect(outcomesIn(world)).toEqual([{ kind: "ignored", why: "not held", reason }]);
    expect(endingsIn(world)).toEqual(["open"]);
  });
});

describe("a hook of somebody else that holds the same instance", () => {
  const their = "backup";

  /** A world with a hook that tells whom it says, while both hooks hold the first instance; our own notice is gone. */
  async function held(told: "another topic" | "nobody" | "our queue" | "our topic", settings = {}) {
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 2 } });
    const targets = {
      "another topic": world.aws.sns.createTopic("backups"),
      "our queue": world.deployment.queue("notices").settings.arn,
      "our topic": world.topicArn,
      nobody: "",
    };
    world.aws.autoScaling.putHook(group, {
      name: their,
      transition: "autoscaling:EC2_INSTANCE_TERMINATING",
      defaultResult: "CONTINUE",
      targetArn: targets[told],
      heartbeat: minutes(30),
    });
    world.terminate(1);
    await world.drop();
    return world;
  }

  const actionOf = (world: VirtualWorld) =>
    world.aws.autoScaling.actions().find(({ hook: its }) => its.name === their);

  async function forge(world: VirtualWorld, token: "true" | "unsaid"): Promise<void> {
    const known = { true: actionOf(world)?.token ?? "", unsaid: "unsaid" };
    world.send(hookNotice(world, { LifecycleHookName: their, LifecycleActionToken: known[token] }));
    await world.work(minutes(10));
  }

  const heartbeats = (world: VirtualWorld) =>
    world.aws.calls.of("RecordLifecycleActionHeartbeat").length;

  it.each([
    ["another topic", "unsaid", 0],
    ["another topic", "true", 1],
    ["nobody", "unsaid", 0],
  ] as const)(
    "and that tells %s is not completed for a forged notice whose token is %s",
    async (told, token, beats) => {
      const world = await held(told);
      await forge(world, token);
      expect(outcomesIn(world)).toMatchObject([{ kind: "ignored", why: "not held" }]);
      expect(actionOf(world)?.end).toEqual({ kind: "open" });
      expect(heartbeats(world)).toBe(beats);
      expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
    },
  );

  it.each([
    ["our topic", "unsaid"],
    ["our queue", "unsaid"],
    ["our queue", "true"],
    ["nobody", "true"],
  ] as const)("and that tells %s is ours where the token is %s", async (told, token) => {
    const world = await held(told);
    await forge(world, token);
    expect(actionOf(world)?.end).toMatchObject({ by: "call", result: "CONTINUE" });
  });

  it("counts as ours where hooks may not be read: no drain waits for that right", async () => {
    const world = await held("another topic");
    const denied = { status: 403, code: "AccessDenied", message: "no" };
    world.faults = awsFailing(/DescribeLifecycleHooks$/, denied);
    await forge(world, "unsaid");
    expect(actionOf(world)?.end).toMatchObject({ by: "call", result: "CONTINUE" });
  });

  it("counts as ours where the environment says nothing, as that of the version before", async () => {
    const world = await held("another topic", { HOOK_TARGETS: "" });
    await forge(world, "unsaid");
    expect(actionOf(world)?.end).toMatchObject({ by: "call", result: "CONTINUE" });
  });

  it("costs one read a pass", async () => {
    const world = await held("our topic");
    await forge(world, "unsaid");
    expect(world.aws.calls.of("DescribeLifecycleHooks")).toHaveLength(1);
  });
});

describe("a forged notice with an earlier time, of an instance that is held", () => {
  const ended = async (age: Duration | "none", settings = {}) => {
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const begun = world.timeline.now();
    world.terminate(1);
    if (age !== "none")
      world.in(minutes(1), () => {
        const claims = { LifecycleActionToken: "unsaid" };
        world.send(hookNotice(world, claims, later(begun, milliseconds(-age))));
      });
    await world.work();
    const [action] = world.aws.autoScaling.actions();
    expect(action?.end).toMatchObject({ by: "call", result: "CONTINUE" });
    return {
      pods: world.departures.map(({ at }) => between(begun, at)),
      hook: action?.end.kind === "ended" ? between(begun, action.end.at) : "open",
    };
  };

  it.each([8, 13, 14.8, 20, 60, 47 * 60, 47.9 * 60, 48 * 60 - 1.1])(
    "of %s minutes before takes no time from its budgets",
    async (age) => {
      expect(await ended(minutes(age))).toEqual(await ended("none"));
    },
  );

  it("does not have its hook completed before its own deadline, where no pod may be forced", async () => {
    const never = { DRAIN_FORCE: "never" };
    expect(await ended(minutes(14.8), never)).toEqual({ pods: [], hook: minutes(15) });
  });

  it("takes half of the time at the most", async () => {
    const { hook: at } = await ended(minutes(7.4), { DRAIN_FORCE: "never" });
    expect(at).toBeGreaterThan(minutes(7.4));
  });

  it.each([7, 14, 60, 47.9 * 60, 48 * 60 - 0.1])(
    "of %s minutes before takes half of it at the most also where it is received before the true one",
    async (age) => {
      const world = new VirtualWorld();
      deploy(world, { name: "web", on: { 1: 2 } });
      world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
      const begun = world.timeline.now();
      const claims = { LifecycleActionToken: "unsaid" };
      world.send(hookNotice(world, claims, later(begun, milliseconds(-minutes(age)))));
      await world.drain();
      const [first] = world.departures;
      expect(between(begun, first?.at ?? begun)).toBeGreaterThan(minutes(7));
    },
  );
});

describe("hundreds of forged notices about an instance whose pods a budget holds", () => {
  it("keep no other notice waiting, if they have no token", async () => {
    const world = new VirtualWorld({ nodes: 2 });
    deploy(world, { name: "web", on: { 1: 1 } });
    deploy(world, { name: "api", on: { 2: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.terminate(1);
    for (let sent = 0; sent < 300; sent += 1)
      world.send(hookNotice(world, { LifecycleActionToken: "unsaid" }));
    await world.work(seconds(30));
    interrupt(world, instanceOf(2));
    await world.work(seconds(15));
    expect(namesOn(world, 2)).toEqual([]);
    expect(namesOn(world, 1)).toEqual(["web-1"]);
  });
});

describe("a notice that was sent again without a token", () => {
  it("ends within a minute of what it waits for", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.terminate(1);
    await world.drop();
    const { metadata } = world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.send(hookNotice(world, { LifecycleActionToken: "unsaid" }));
    const freed = later(world.timeline.now(), minutes(4));
    world.in(minutes(4), () => world.cluster.store.remove({ resource: budgets, ...metadata }));
    await world.work();
    const [action] = world.aws.autoScaling.actions();
    expect(action?.end).toMatchObject({ by: "call", result: "CONTINUE" });
    const ended = action?.end.kind === "ended" ? action.end.at : freed;
    expect(between(freed, ended)).toBeLessThan(seconds(75));
  });
});

const completedAlready =
  "it was completed already, by another delivery of the notice or by somebody else";

describe("a hook that somebody else completes", () => {
  it("is noticed at the next heartbeat, and the drain ends there", async () => {
    const world = aWorld();
    const slow = { "hollow/term-seconds": "40" };
    deploy(world, {
      name: "slow",
      annotations: slow,
      spec: { terminationGracePeriodSeconds: 60 },
      on: { 1: 1 },
    });
    world.in(seconds(10), () => completeByHand(world));
    await world.drain(minutes(10));
    expect(outcomesIn(world)).toEqual([{ kind: "released-elsewhere" }]);
    expect(world.told("notice-done")[0]?.at).toBe(Date.parse("2026-11-20T10:00:30Z"));
    expect(world.aws.calls.of("CompleteLifecycleAction")).toEqual([]);
  });

  it("is found completed by the drain that tries to complete it", async () => {
    const world = aWorld();
    world.in(seconds(4), () => completeByHand(world));
    await world.drain(minutes(10));
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(world.told("warning")).toMatchObject([
      { about: "hook Terminate-LC-Hook", warnings: [completedAlready] },
    ]);
    expect(world.told("hook-completed")).toEqual([]);
    expect(world.told("fault")).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("between two passes leaves the next pass nothing to do", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(seconds(51));
    completeByHand(world);
    const before = writtenIn(world).length;
    await world.work(minutes(10));
    expect(outcomesIn(world)).toEqual([
      {
        kind: "ignored",
        why: "not held",
        reason: `instance ${first} is Terminating:Proceed, not Terminating:Wait`,
      },
    ]);
    expect(writtenIn(world)).toHaveLength(before);
    expect(world.aws.calls.of("CompleteLifecycleAction")).toEqual([]);
  });
});

describe("a notice that is delivered twice", () => {
  let world: VirtualWorld;

  beforeEach(() => {
    world = new VirtualWorld({ nodes: 3 });
    deploy(world, { name: "web", on: { 1: 3 } });
    deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
    world.terminate(1);
  });

  const kindsOfOutcomes = () => world.told("notice-done").map(({ outcome }) => outcome.kind);

  function expectOneDrain(): void {
    expect(kindsOfOutcomes()).toEqual(["drained", "drained"]);
    expect(world.told("warning")).toMatchObject([{ warnings: [completedAlready] }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(completionsIn(world)).toBe(1);
    expect(namesOn(world, 1)).toEqual([]);
    expect(world.told("fault")).toEqual([]);
  }

  it("in one batch is one drain in the end", async () => {
    world.send(hookNotice(world));
    await world.work();
    expectOneDrain();
    expect(writtenIn(world).filter((what) => /^patch nodes \S+ 200$/.test(what))).toHaveLength(1);
  });

  it.each([10, 500, 3000])(
    "to two processes %i ms apart is one drain, and repeats only what both do at the same moment",
    async (apart) => {
      world.in(milliseconds(apart), () => world.send(hookNotice(world)));
      await world.work();
      expectOneDrain();
      const asked = writtenIn(world).filter((what) => /eviction \S+ 201/.test(what));
      expect(asked.slice(0, 4)).toEqual([
        "create pods/eviction web-1 201",
        "create pods/eviction web-2 201",
        "create pods/eviction web-3 201",
        "create pods/eviction coredns-1 201",
      ]);
      expect(new Set(asked).size).toBe(4);
      expect(writtenIn(world).filter((what) => what.startsWith("patch"))).toEqual([
        `patch nodes ${nodeOf(1)} 200`,
      ]);
    },
  );

  it.each([seconds(20), minutes(2), hours(3)])(
    "the second time %i ms after the first is over touches nothing",
    async (wait) => {
      const copy = hookNotice(world);
      await world.work();
      const writes = writtenIn(world).length;
      world.pass(wait);
      world.send(copy);
      await world.work();
      expect(kindsOfOutcomes()).toEqual(["drained", "ignored"]);
      expect(writtenIn(world)).toHaveLength(writes);
      expect(completionsIn(world)).toBe(1);
    },
  );
});

function completeByHand(world: VirtualWorld): void {
  const by = { kind: "instance", value: first } as const;
  world.aws.autoScaling.complete({ group, hook, by }, "CONTINUE");
}
