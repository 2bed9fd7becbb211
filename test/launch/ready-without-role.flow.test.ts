import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { endingsIn } from "../world/evidence.ts";
import { awsFailing, type FaultPlan, failing } from "../world/fault-plan.ts";
import { LaunchWorld, launched } from "../world/launch-world.ts";
import { group } from "../world/world-options.ts";
import { bigMap } from "./aws-auth/corpus.ts";

const mapped = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/node
  username: system:node:{{EC2PrivateDNSName}}
`;
const inBraces =
  "- {rolearn: arn:aws:iam::123456789012:role/node, username: 'system:node:{{EC2PrivateDNSName}}', groups: [system:bootstrappers, system:nodes]}\n";

/** Documents in which the authenticator reads the role, and to which the function appends nothing. */
const unreadable: readonly (readonly [string, string])[] = [
  ["begins with ---", `---\n${mapped}`],
  ["has braces", inBraces],
  ["has an anchor", mapped.replace("groups:", "groups: &a")],
  ["has an escape", mapped.replace("system:nodes", '"system:\\x6eodes"')],
  ["ends with ...", `${mapped}...\n`],
  ["begins with a byte order mark", `\ufeff${mapped}`],
  ["has a second document", `${mapped}---\n[]\n`],
  ["is too long", bigMap(110_000) + mapped],
];
const withNodesAlone = mapped.replace("  - system:bootstrappers\n", "");

const abandoning = { LAUNCH_RESULT_AT_DEADLINE: "ABANDON" };
const denied = { status: 403, code: "AccessDenied", message: "no" } as const;
const refusal = { status: 403, body: { kind: "Status", code: 403, message: "no" } } as const;

const outcomesOf = (world: LaunchWorld) =>
  world
    .told("notice-done")
    .map(({ outcome }) => outcome)
    .filter(({ kind }) => kind !== "tested");
const faultsOf = (world: LaunchWorld) => world.told("fault").map(({ code }) => code);
const took = (world: LaunchWorld): number => {
  const [first] = world.told("pass-started").filter(({ notice }) => /^launching/.test(notice));
  return (world.told("hook-completed").at(-1)?.at ?? Number.NaN) - (first?.at ?? 0);
};

describe("an instance whose node is ready", () => {
  it.each([
    ...unreadable.map(([what, mapRoles]) => [what, "access.unreadable", mapRoles] as const),
    ["gives the role system:nodes alone", "access.taken", withNodesAlone] as const,
  ])("goes into service though aws-auth %s, with ABANDON too", async (_, code, mapRoles) => {
    const world = new LaunchWorld({ mapRoles, settings: abandoning });
    world.launch();
    world.in(seconds(20), () => world.join());

    await world.work();

    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
    expect(took(world)).toBeLessThan(seconds(22));
    expect(faultsOf(world)).toEqual([code]);
    expect(world.mapRoles).toBe(mapRoles);
  });

  it.each<[string, FaultPlan, Readonly<Record<string, string>>]>([
    ["EC2 is denied", awsFailing(/^ec2 DescribeInstances/, denied), {}],
    ["its group cannot be read", awsFailing(/DescribeAutoScalingGroups/, denied), {}],
    ["IAM is denied", awsFailing(/^iam /, denied), {}],
    ["EKS makes no entry", awsFailing(/^eks CreateAccessEntry/, denied), { NODE_ACCESS: "auto" }],
    ["aws-auth may not be read", failing(/^get configmaps/, refusal), {}],
    ["aws-auth may not be written", failing(/^(?:create|update) configmaps/, refusal), {}],
    ["others keep writing aws-auth", failing(/^(?:create|update) configmaps/, { status: 409 }), {}],
  ])("goes into service though %s, with ABANDON too", async (_, faults, settings) => {
    const world = new LaunchWorld({ settings: { ...abandoning, ...settings } });
    world.faults = faults;
    world.launch();
    world.in(seconds(20), () => world.join());

    await world.work();

    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
    expect(took(world)).toBeLessThan(minutes(2));
    expect(faultsOf(world).length).toBeGreaterThan(0);
  });

  it.each([
    ["EC2", awsFailing(/^ec2 DescribeInstances/, "hang")],
    ["IAM", awsFailing(/^iam /, "hang")],
  ])("is seen while an answer of %s is still to come", async (_, faults) => {
    const world = new LaunchWorld({ settings: abandoning });
    world.faults = faults;
    world.launch();
    world.in(seconds(15), () => world.join());

    await world.work();

    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: launched.node }]);
    expect(took(world)).toBeLessThan(seconds(35));
  });

  it.each<[string, FaultPlan, RegExp]>([
    ["the API server does not answer", failing(/./, { status: 503 }), /: cluster\./],
    ["EKS does not answer", awsFailing(/^eks DescribeCluster/, "hang"), /: aws\.unreachable/],
    ["EKS denies its address", awsFailing(/^eks DescribeCluster/, denied), /: aws\.denied/],
  ])("is not ended at its deadline though %s", async (_, faults, fault) => {
    const world = new LaunchWorld({ mapRoles: mapped, settings: abandoning });
    world.faults = faults;
    world.launch();
    world.join();

    await world.work(minutes(30));

    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesOf(world)).toEqual([
      {
        kind: "not-joined",
        reason: expect.stringMatching(`^its node could not be seen${fault.source}`),
        result: "CONTINUE",
      },
    ]);
  });

  it("is known by its provider ID alone where EC2 tells no names", async () => {
    const world = new LaunchWorld({ settings: abandoning });
    world.faults = awsFailing(/^ec2 DescribeInstances/, denied);
    world.launch();
    world.join({ name: "gpu-7" });

    await world.work();

    expect(outcomesOf(world)).toEqual([{ kind: "joined", node: "gpu-7" }]);
    expect(took(world)).toBeLessThan(seconds(2));
  });
});

describe("an instance whose node is not ready at the deadline", () => {
  it("goes on with CONTINUE where the tags of its group, which may say so, cannot be read", async () => {
    const world = new LaunchWorld({ settings: abandoning });
    world.faults = awsFailing(/DescribeAutoScalingGroups/, denied);
    world.launch();

    await world.work(minutes(20));

    expect(world.told("fault")[0]).toMatchObject({ code: "aws.denied", retryable: true });
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it.each([
    ["heartbeats, which would hold it until then, are denied", /Heartbeat/, "launch"],
    ["nothing says that it goes into a warm pool", /AutoScalingInstances/, "launch-into-warm-pool"],
  ] as const)("goes on with CONTINUE where %s", async (_, calls, journey) => {
    const world = new LaunchWorld({ settings: abandoning });
    world.faults = awsFailing(calls, denied);
    world.launch(journey);

    await world.work(minutes(20));

    expect(outcomesOf(world)).toMatchObject([{ kind: "not-joined", result: "CONTINUE" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("ends as configured though Auto Scaling takes the answer only at the second try", async () => {
    const world = new LaunchWorld({ settings: abandoning });
    world.faults = awsFailing(/CompleteLifecycleAction/, denied, 1);
    world.launch();

    await world.work(minutes(20));

    expect(endingsIn(world)).toEqual(["ABANDON by call"]);
  });
});

describe("a role that cannot be registered", () => {
  it("is told once a pass, and registered within fifteen seconds once that is possible", async () => {
    const world = new LaunchWorld({ mapRoles: "- {" });
    world.launch();
    world.in(seconds(20), () => world.mend(""));
    world.in(seconds(40), () => world.join());

    await world.work();

    expect(faultsOf(world)).toEqual(["access.unreadable"]);
    const [registered] = world.told("role-registered");
    const [started] = world.told("pass-started").filter(({ notice }) => /^launching/.test(notice));
    const within = (registered?.at ?? Number.NaN) - (started?.at ?? 0) - seconds(20);
    expect(within).toBeLessThanOrEqual(seconds(16));
    expect(world.mapRoles).toBe(mapped);
  });

  it("is no reason any more once it is registered", async () => {
    const world = new LaunchWorld({ mapRoles: "- {", settings: { LAUNCH_TIMEOUT_SECONDS: "60" } });
    world.launch();
    world.in(seconds(20), () => world.mend(""));

    await world.work(minutes(5));

    const reason = `no node of ${launched.id} has registered`;
    expect(outcomesOf(world)).toEqual([{ kind: "not-joined", reason, result: "CONTINUE" }]);
    const [registered] = world.told("role-registered");
    const awaited = world.told("node-awaited").find((one) => one.reason === reason);
    expect(awaited?.at).toBe(registered?.at);
  });

  it("is told again when something else is in its way", async () => {
    const world = new LaunchWorld({ mapRoles: "- {" });
    world.launch();
    world.in(seconds(20), () => world.mend(withNodesAlone));
    world.in(seconds(40), () => world.join());

    await world.work();

    expect(faultsOf(world)).toEqual(["access.unreadable", "access.taken"]);
  });

  it("is no fault while EC2 does not know its instance, nor while its profile has no role yet", async () => {
    const world = new LaunchWorld({ profile: "without a role" });
    const code = "InvalidInstanceID.NotFound";
    world.faults = awsFailing(/^ec2 DescribeInstances/, { status: 400, code, message: "no" }, 1);
    world.launch();
    world.in(seconds(40), () => world.join());

    await world.work();

    expect(faultsOf(world)).toEqual([]);
    const reasons = world.told("node-awaited").map(({ reason }) => reason);
    expect(reasons).toEqual([
      expect.stringContaining("EC2 does not know"),
      expect.stringContaining("there is no role in"),
    ]);
  });

  it.each([
    ["the gate is off", { LAUNCH_GATE: "off" }, "launch"],
    ["it goes into a warm pool", {}, "launch-into-warm-pool"],
  ] as const)(
    "holds no instance whose node is not waited for, and ends none: %s",
    async (_, settings, journey) => {
      for (const mapRoles of ["- {", withNodesAlone]) {
        const world = new LaunchWorld({ mapRoles, settings: { ...abandoning, ...settings } });
        world.launch(journey);

        await world.work();

        expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
        expect(outcomesOf(world)).toEqual([
          { kind: "not-registered", reason: expect.stringMatching(/^access\./) },
        ]);
        expect(faultsOf(world)).toHaveLength(1);
        expect(took(world)).toBeLessThan(seconds(2));
      }
    },
  );

  it("is registered when its instance leaves the pool, if that is possible by then", async () => {
    const world = new LaunchWorld({ mapRoles: "- {" });
    world.launch("launch-into-warm-pool");
    await world.work();
    world.mend("");
    world.aws.autoScaling.setDesired(group, 2);
    world.aws.autoScaling.begin(launched.id, "launch-from-warm-pool");
    world.in(seconds(40), () => world.join());

    await world.work();

    expect(outcomesOf(world)).toMatchObject([{ kind: "not-registered" }, { kind: "joined" }]);
    expect(world.mapRoles).toBe(mapped);
  });

  it.each([
    ["a fault that passes", failing(/configmaps/, { status: 500 }, 8), "registered"],
    ["a fault that lasts", failing(/configmaps/, { status: 500 }), "not-registered"],
    ["a role that IAM does not tell", awsFailing(/^iam /, denied), "not-registered"],
  ] as const)(
    "is tried again for one pass where the node is not waited for: %s",
    async (_, faults, kind) => {
      const world = new LaunchWorld({ settings: { ...abandoning, LAUNCH_GATE: "off" } });
      world.faults = faults;
      world.launch();

      await world.work();
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(outcomesOf(world)).toMatchObject([{ kind }]);
      expect(took(world)).toBeGreaterThan(seconds(10));
      expect(took(world)).toBeLessThan(seconds(90));
    },
  );
});
