import { describe, expect, it } from "vitest";
import {
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { endingsIn } from "../world/evidence.ts";
import { awsFailing, failing, well } from "../world/fault-plan.ts";
import { LaunchWorld, launched, launchHook } from "../world/launch-world.ts";
import { group } from "../world/world-options.ts";

const entry = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/node
  username: system:node:{{EC2PrivateDNSName}}
`;
const admin = `- rolearn: arn:aws:iam::123456789012:role/admin
  username: admin
  groups: [system:masters]
`;

const denied = { status: 403, code: "AccessDenied", message: "no" } as const;

/** Leaves out the outcome of the test notification that the new hook sends. */
const outcomesOf = (world: LaunchWorld) =>
  world
    .told("notice-done")
    .map(({ outcome }) => outcome)
    .filter(({ kind }) => kind !== "tested");
const launchPasses = (world: LaunchWorld) =>
  world.told("pass-started").filter(({ notice }) => /^launching/.test(notice));
const reasonsOf = (world: LaunchWorld) => world.told("node-awaited").map(({ reason }) => reason);

/** Somebody sends the notice of the launch again, whatever became of the launch. */
function sendLaunch(world: LaunchWorld, at: Instant): void {
  const action = world.aws.autoScaling.actions().at(-1);
  world.send({
    LifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    AutoScalingGroupName: group,
    LifecycleHookName: launchHook,
    LifecycleActionToken: action?.token,
    EC2InstanceId: launched.id,
    Time: timestamp(at),
  });
}

describe("a launch", () => {
  it.each([minutes(20), hours(1), hours(47)])(
    "is not over because somebody sends its notice with a time that is %i ms before its instance",
    async (early) => {
      const world = new LaunchWorld({ mapRoles: admin });
      world.launch();
      const forged = later(world.timeline.now(), milliseconds(-early));
      world.in(seconds(20), () => sendLaunch(world, forged));
      world.in(seconds(70), () => world.join({ state: "ready" }));

      await world.work();

      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      const kinds = new Set(outcomesOf(world).map(({ kind }) => kind));
      expect([...kinds]).toContain("joined");
      expect([...kinds]).not.toContain("not-joined");
    },
  );

  it.each([minutes(20), hours(47)])(
    "out of a warm pool in which its instance has run has half of its time left, though its notice says %i ms ago",
    async (early) => {
      const world = new LaunchWorld({ settings: { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" } });
      world.launch("launch-into-warm-pool");
      await world.work();
      world.pass(hours(50));
      world.aws.autoScaling.setDesired(group, 2);
      world.aws.autoScaling.begin(launched.id, "launch-from-warm-pool");
      await world.drop();
      sendLaunch(world, later(world.timeline.now(), milliseconds(-early)));
      world.in(minutes(7), () => world.join());

      await world.work();

      expect(outcomesOf(world).at(-1)).toEqual({ kind: "joined", node: launched.node });
      expect(endingsIn(world).at(-1)).toBe("CONTINUE by call");
    },
  );

  it("registers the role, waits for the node, and then lets the instance go into service", async () => {
    const world = new LaunchWorld({ mapRoles: admin });
    world.launch();
    world.in(seconds(70), () => world.join({ state: "not-ready" }));
    world.in(seconds(90), () => world.cluster.reportNode(launched.node, "ready"));

    await world.work();

    expect(world.mapRoles).toBe(admin + entry);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
    expect(world.timeline.now() - (world.entries[0]?.at ?? 0)).toBeLessThan(seconds(110));
    expect(world.told("role-registered")[0]).toMatchObject({
      role: launched.roleArn,
      platform: "linux",
      access: { by: "aws-auth", change: "added", version: expect.stringMatching(/^\d+$/) },
    });
    expect(reasonsOf(world)).toContain(
      `node ${launched.node} is not-ready: container runtime network not ready`,
    );
  });

  it("ends within a moment when the node is ready at once", async () => {
    const world = new LaunchWorld();
    world.launch();
    world.join();

    await world.work();

    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
    expect(launchPasses(world)).toHaveLength(1);
    expect(world.mapRoles).toBe(entry);
  });

  it.each(["CONTINUE", "ABANDON"] as const)(
    "keeps looking with heartbeats until its deadline, and then ends as configured: %s",
    async (result) => {
      const settings = { LAUNCH_RESULT_AT_DEADLINE: result };
      const world = new LaunchWorld({ settings, heartbeat: seconds(120) });
      world.launch();

      await world.work(minutes(20));

      expect(endingsIn(world)).toEqual([`${result} by call`]);
      expect(outcomesOf(world)).toEqual([
        { kind: "not-joined", reason: `no node of ${launched.id} has registered`, result },
      ]);
      const took = (world.told("notice-done").at(-1)?.at ?? 0) - (world.entries[0]?.at ?? 0);
      expect(took).toBeGreaterThanOrEqual(minutes(15) - seconds(1));
      expect(took).toBeLessThan(minutes(16));
    },
  );

  it("waits for startup taints to go", async () => {
    const key = "node.cilium.io/agent-not-ready";
    const world = new LaunchWorld({
      settings: { LAUNCH_STARTUP_TAINTS: JSON.stringify([key]), LAUNCH_TIMEOUT_SECONDS: "60" },
    });
    world.launch();
    world.join({ taints: [{ key, effect: "NoSchedule" }] });

    await world.work(minutes(5));

    expect(outcomesOf(world)).toEqual([
      {
        kind: "not-joined",
        reason: `node ${launched.node} still has the taint ${key}`,
        result: "CONTINUE",
      },
    ]);
  });

  it("waits for the taints of the Node Readiness Controller unless its setting has others", async () => {
    const key = "readiness.k8s.io/network-ready";
    const launchedWith = async (settings: Readonly<Record<string, string>>) => {
      const world = new LaunchWorld({ settings: { ...settings, LAUNCH_TIMEOUT_SECONDS: "60" } });
      world.launch();
      world.join({ taints: [{ key, effect: "NoSchedule" }] });
      await world.work(minutes(5));
      return outcomesOf(world);
    };

    expect(await launchedWith({})).toMatchObject([
      { kind: "not-joined", reason: `node ${launched.node} still has the taint ${key}` },
    ]);
    const others = JSON.stringify(["node.cilium.io/*"]);
    expect(await launchedWith({ LAUNCH_STARTUP_TAINTS: others })).toMatchObject([
      { kind: "joined" },
    ]);
    expect(await launchedWith({ LAUNCH_STARTUP_TAINTS: "[]" })).toMatchObject([{ kind: "joined" }]);
  });

  it.each([
    ["the instance", launched.id, seconds(1)],
    ["nothing that EC2 knows", "gpu-7", seconds(20)],
  ])("finds its node in the pass in which it comes, named after %s", async (_, name, within) => {
    const world = new LaunchWorld();
    world.launch();
    world.in(seconds(10), () => world.join({ name, state: "not-ready" }));
    world.in(seconds(12), () => world.cluster.reportNode(name, "ready"));

    await world.work(minutes(10));

    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: name }]);
    expect(launchPasses(world)).toHaveLength(1);
    const took = (world.told("hook-completed")[0]?.at ?? 0) - (launchPasses(world)[0]?.at ?? 0);
    expect(took).toBeGreaterThanOrEqual(seconds(12));
    expect(took).toBeLessThanOrEqual(seconds(12) + within);
  });

  it("joins by the node that EC2 names, though another one that is never ready has the provider ID of its instance", async () => {
    const world = new LaunchWorld({ settings: { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" } });
    world.launch();
    world.in(seconds(5), () => world.join({ name: "a-liar", state: "not-ready" }));
    world.in(minutes(1), () => world.join());

    await world.work(minutes(20));

    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
  });

  it.each([
    ["reads", "get configmaps aws-auth", 3],
    ["writes", "update configmaps aws-auth", 2],
  ])("goes on within two seconds after brief faults of %s: %s", async (_, what, times) => {
    const world = new LaunchWorld({ mapRoles: admin });
    let left = times;
    world.faults = (request) => {
      if (request.what !== what || left === 0) return well;
      left -= 1;
      return { kind: "cluster-fault", fault: { status: 500 }, moment: "before" };
    };
    world.launch();
    world.join();

    await world.work(minutes(5));

    expect(left).toBe(0);
    expect(launchPasses(world)).toHaveLength(1);
    expect(world.told("fault")).toEqual([]);
    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
    const took = (world.told("hook-completed")[0]?.at ?? 0) - (launchPasses(world)[0]?.at ?? 0);
    expect(took).toBeLessThan(seconds(2));
  });

  it.each([0, 59])(
    "that comes too early says why it waits, pass by pass, ever less often, though it is dated %i s ahead",
    async (ahead) => {
      const world = new LaunchWorld();
      world.send({
        LifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING",
        AutoScalingGroupName: group,
        LifecycleHookName: launchHook,
        LifecycleActionToken: "c48e2b7f-1d05-4a93-8e6c-90f7a3d15b28",
        EC2InstanceId: launched.id,
        Time: timestamp(later(world.timeline.now(), seconds(ahead))),
      });

      await world.work(minutes(5));

      const reason = `instance ${launched.id} is in no Auto Scaling group`;
      const waits = world.told("pass-ended");
      expect(waits).toHaveLength(launchPasses(world).length - 1);
      expect(waits.map(({ wait }) => wait)).toEqual([5, 10, 20, 40].map(seconds));
      for (const { left } of waits) expect(left).toEqual([{ about: "", why: reason }]);
      expect(outcomesOf(world)).toEqual([{ kind: "ignored", why: "no group", reason }]);
    },
  );

  it("does not wait for the node when the gate is off", async () => {
    const world = new LaunchWorld({ settings: { LAUNCH_GATE: "off" } });
    world.launch();

    await world.work();

    expect(outcomesOf(world)).toEqual([{ kind: "registered", role: launched.roleArn }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(world.mapRoles).toBe(entry);
  });

  it("follows the tags of the group", async () => {
    const world = new LaunchWorld({ tags: { "eks-node-lifecycle/launch-gate": "off" } });
    world.launch();

    await world.work();

    expect(outcomesOf(world)).toMatchObject([{ kind: "registered" }]);
  });

  it("only registers the role of an instance on its way into a warm pool", async () => {
    const world = new LaunchWorld();
    world.launch("launch-into-warm-pool");

    await world.work();

    expect(outcomesOf(world)).toEqual([{ kind: "registered", role: launched.roleArn }]);
    expect(world.mapRoles).toBe(entry);
  });

  it("waits for the node of an instance that comes out of the warm pool", async () => {
    const world = new LaunchWorld();
    world.launch("launch-into-warm-pool");
    await world.work();
    world.aws.autoScaling.setDesired(group, 2);
    world.aws.autoScaling.begin(launched.id, "launch-from-warm-pool");
    world.in(seconds(40), () => world.join());

    await world.work();

    expect(outcomesOf(world)).toEqual([
      { kind: "registered", role: launched.roleArn },
      { kind: "joined", node: launched.node },
    ]);
    expect(world.mapRoles).toBe(entry);
  });

  it("makes an access entry in the modes that have entries, and does not write aws-auth", async () => {
    const world = new LaunchWorld({ settings: { NODE_ACCESS: "auto" }, platform: "windows" });
    world.launch();
    world.join();

    await world.work();

    const { entries } = world.aws.eks.findCluster("demo");
    const made = entries.all().filter(({ principalArn }) => principalArn === launched.roleArn);
    expect(made).toMatchObject([{ type: "EC2_WINDOWS" }]);
    expect(world.mapRoles).toBeUndefined();
    expect(outcomesOf(world)).toMatchObject([{ kind: "joined" }]);
  });

  it("lets nobody in where the stack has, asks no roles, and awaits the node", async () => {
    const world = new LaunchWorld({ settings: { NODE_ACCESS: "at deployment" } });
    world.launch();
    world.join();

    await world.work();

    const calls = ["GetInstanceProfile", "CreateAccessEntry", "DescribeAccessEntry"];
    expect(calls.flatMap((name) => world.aws.calls.of(name))).toEqual([]);
    expect(world.mapRoles).toBeUndefined();
    expect(outcomesOf(world)).toMatchObject([{ kind: "joined" }]);
  });

  it("writes nothing into an aws-auth that it cannot read, says so, and goes on once that is mended", async () => {
    const world = new LaunchWorld({ mapRoles: `${admin}- {` });
    world.launch();

    await world.work(minutes(5));
    expect(world.mapRoles).toBe(`${admin}- {`);
    expect(endingsIn(world)).toEqual(["open"]);
    expect(world.told("fault")[0]).toMatchObject({ code: "access.unreadable", retryable: true });

    world.mend(admin);
    world.in(minutes(3), () => world.join());
    await world.work(minutes(5));

    expect(world.mapRoles).toBe(admin + entry);
    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
  });

  it.each([
    ["at the role", `${admin}- {`, well],
    ["at the node", admin, { kind: "cluster-fault", fault: { status: 503 }, moment: "before" }],
  ] as const)(
    "that breaks is tried again before its hook runs out: %s",
    async (_, mapRoles, fault) => {
      const world = new LaunchWorld({ mapRoles, heartbeat: seconds(30) });
      world.faults = ({ to }) => (to === "cluster" ? fault : well);
      world.launch();

      await world.work(minutes(6));

      expect(endingsIn(world)).toEqual(["open"]);
      expect(world.told("heartbeat").length).toBeGreaterThan(20);
    },
  );

  it.each([
    ["a saved notice", hours(-24 * 365)],
    ["a notice of a time to come", hours(24 * 365)],
  ])(
    "by %s counts its time from the start of the instance, and no later pass moves it",
    async (_, distance) => {
      const world = new LaunchWorld();
      world.launch();
      const start = world.timeline.now();
      await world.drop();
      world.pass(minutes(5));
      sendLaunch(world, later(start, distance));

      await world.work(minutes(20));

      expect(outcomesOf(world)).toMatchObject([{ kind: "not-joined" }]);
      expect(world.told("notice-done").at(-1)?.at).toBe(later(start, minutes(15)));
    },
  );

  it("by a saved notice counts its time from that notice where EC2 does not say when the instance started", async () => {
    const world = new LaunchWorld();
    world.faults = awsFailing(/^ec2 DescribeInstances/, denied);
    world.launch();
    const start = world.timeline.now();
    await world.drop();
    world.pass(minutes(5));
    sendLaunch(world, start);

    await world.work(minutes(20));

    expect(outcomesOf(world)).toMatchObject([{ kind: "not-joined" }]);
    expect(world.told("notice-done").at(-1)?.at).toBe(later(start, minutes(15)));
  });

  it("whose node does not join ends at its deadline as configured, and says that its role is not registered", async () => {
    const settings = { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" };
    const world = new LaunchWorld({ settings, mapRoles: admin.replace("role/admin", "role/node") });
    world.launch();

    await world.work();

    expect(outcomesOf(world)).toEqual([
      {
        kind: "not-joined",
        reason: expect.stringMatching(
          /^no node of .* has registered, and its role is not registered: access\.taken: .*"admin"/,
        ),
        result: "ABANDON",
      },
    ]);
    expect(world.timeline.now() - (world.entries[0]?.at ?? 0)).toBeLessThan(minutes(20));
  });

  it.each([
    ["none", "has no instance profile"],
    ["without a role", "there is no role in"],
  ] as const)(
    "says at its deadline that the role is not registered: profile %s",
    async (profile, why) => {
      const world = new LaunchWorld({ profile });
      world.launch();

      await world.work();

      expect(outcomesOf(world)).toEqual([
        { kind: "not-joined", reason: expect.stringContaining(why), result: "CONTINUE" },
      ]);
      expect(world.told("fault")).toEqual([]);
      expect(world.mapRoles).toBeUndefined();
    },
  );

  it.each([
    ["on", { kind: "joined", node: launched.node }],
    ["off", { kind: "registered", role: launched.roleArn }],
  ] as const)(
    "registers a role that comes into the profile five seconds later, in the same pass: gate %s",
    async (gate, outcome) => {
      const world = new LaunchWorld({ profile: "without a role", settings: { LAUNCH_GATE: gate } });
      world.launch();
      world.in(seconds(5), () => world.giveRole());
      world.in(seconds(20), () => world.join());

      await world.work();

      expect(outcomesOf(world)).toEqual([outcome]);
      const passes = launchPasses(world);
      expect(passes).toHaveLength(1);
      const [registered] = world.told("role-registered");
      const took = (registered?.at ?? 0) - (passes[0]?.at ?? 0);
      expect(took).toBeLessThanOrEqual(seconds(15));
      expect(world.mapRoles).toBe(entry);
    },
  );

  it("asks for the missing role of a profile no more often than every five seconds", async () => {
    const world = new LaunchWorld({ profile: "without a role" });
    world.launch();

    await world.work(minutes(15));

    const asked = world.requests.filter(({ what }) => what === "iam GetInstanceProfile").length;
    expect(asked).toBeGreaterThan(20);
    expect(asked).toBeLessThanOrEqual(180);
  });

  it("touches nothing for a notice that is not true", async () => {
    const world = new LaunchWorld();
    world.launch();
    await world.drop();
    const [action] = world.aws.autoScaling.actions();
    const by = { kind: "token", value: action?.token ?? "" } as const;
    world.aws.autoScaling.complete({ group, hook: launchHook, by }, "CONTINUE");
    sendLaunch(world, world.timeline.now());

    await world.work();

    expect(outcomesOf(world)).toMatchObject([
      { kind: "ignored", reason: expect.stringContaining("InService, not Pending:Wait") },
    ]);
    expect(world.mapRoles).toBeUndefined();
  });

  it.each(["on", "off"])("ends when somebody else completes its hook: gate %s", async (gate) => {
    const settings = { LAUNCH_GATE: gate };
    const world = new LaunchWorld({ mapRoles: admin, heartbeat: seconds(30), settings });
    world.faults = failing(/configmaps/, { status: 500 });
    world.launch();
    world.in(seconds(10), () => {
      const by = { kind: "instance", value: launched.id } as const;
      world.aws.autoScaling.complete({ group, hook: launchHook, by }, "CONTINUE");
    });

    await world.work(minutes(5));

    expect(outcomesOf(world)).toEqual([{ kind: "released-elsewhere" }]);
    expect(launchPasses(world)).toHaveLength(1);
    expect(world.mapRoles).toBe(admin);
  });

  it("removes nothing when the instance is terminated", async () => {
    const world = new LaunchWorld({ mapRoles: admin });
    world.launch();
    world.join();
    await world.work();
    world.aws.autoScaling.terminate(launched.id);

    await world.work();

    expect(endingsIn(world)).toEqual(["CONTINUE by call", "CONTINUE by call"]);
    expect(world.mapRoles).toBe(admin + entry);
  });
});
