import { describe, expect, it } from "vitest";
import { between, minutes, seconds } from "../../lambda/base/time.ts";
import { endingsIn, outcomesIn } from "../world/evidence.ts";
import { awsFailing } from "../world/fault-plan.ts";
import { LaunchWorld } from "../world/launch-world.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";

const describing = /^eks DescribeCluster$/;
const noSuchCluster = {
  status: 404,
  code: "ResourceNotFoundException",
  message: "No cluster found for name: demo.",
};

function aDrain(): VirtualWorld {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 2 } });
  world.terminate(1);
  return world;
}

function aLaunch(): LaunchWorld {
  const world = new LaunchWorld();
  world.launch();
  world.join();
  return world;
}

const beatsIn = (world: VirtualWorld) =>
  world.requests.filter(({ what }) => what.endsWith("RecordLifecycleActionHeartbeat"));

describe.each([
  ["drain", aDrain, "CONTINUE"],
  ["launch", aLaunch, "ABANDON"],
] as const)("a %s for a cluster that EKS does not know", (_, begun, onTimeout) => {
  it("sends no heartbeat, so its instance is held no longer than the hook was going to hold it", async () => {
    const world = begun();
    const since = world.timeline.now();
    world.faults = awsFailing(describing, noSuchCluster);
    await world.workFor(minutes(31));
    expect(beatsIn(world)).toEqual([]);
    expect(endingsIn(world)).toEqual([`${onTimeout} by heartbeat-timeout`]);
    const [action] = world.aws.autoScaling.actions();
    expect(action?.end.kind === "ended" && between(since, action.end.at)).toBe(minutes(30));
  });

  it("goes to the dead letters at its first pass, and reaches no API server", async () => {
    const world = begun();
    world.faults = awsFailing(describing, noSuchCluster);
    await world.work(minutes(5));
    expect(world.told("fault")).toMatchObject([{ code: "cluster.not-found", retryable: false }]);
    expect(world.aws.sqs.findQueue("dead-letters").contents()).toHaveLength(1);
    expect(world.requests.filter(({ to }) => to === "cluster")).toEqual([]);
  });
});

describe("any other failure of EKS", () => {
  it.each([
    { status: 403, code: "AccessDeniedException", message: "no" },
    { status: 500, code: "ServerException", message: "no" },
    "throttle",
    "reset",
    "hang",
  ] as const)("holds the hook all the same: %j", async (fault) => {
    const world = aDrain();
    const since = world.timeline.now();
    world.faults = awsFailing(describing, fault);
    await world.workFor(minutes(2));
    const [first] = beatsIn(world);
    expect(between(since, first?.at ?? since)).toBeLessThanOrEqual(seconds(11));
    expect(beatsIn(world).length).toBeGreaterThan(1);
    expect(endingsIn(world)).toEqual(["open"]);
  });

  it("that no retry mends, too, comes after a heartbeat", async () => {
    const world = aDrain();
    world.faults = awsFailing(describing, { status: 400, code: "ClientException", message: "no" });
    await world.workFor(minutes(2));
    expect(world.told("fault")).toMatchObject([{ code: "aws.refused" }]);
    expect(beatsIn(world)).toHaveLength(1);
  });

  it("that passes ends in a drain that is done", async () => {
    const world = aDrain();
    world.faults = awsFailing(describing, "reset", 8);
    await world.work(minutes(10));
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });
});

describe.each([
  ["drain", aDrain],
  ["launch", aLaunch],
] as const)("a %s", (_, begun) => {
  it("sends its heartbeat once EKS has named the cluster, and before it writes anything", async () => {
    const world = begun();
    await world.work(minutes(10));
    const [first] = beatsIn(world);
    const asked = world.requests.find(({ what }) => describing.test(what));
    const written = world.requests.find(
      ({ to, what }) => to === "cluster" && /^(create|patch|update|delete)/.test(what),
    );
    expect(asked?.number).toBeLessThan(first?.number ?? 0);
    expect(first?.number).toBeLessThan(written?.number ?? 0);
  });
});

it("a process that knows its cluster does not ask EKS again, so a drain goes on whatever EKS says then", async () => {
  const world = aDrain();
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.in(seconds(5), () => {
    world.faults = awsFailing(describing, noSuchCluster);
  });
  await world.workFor(minutes(5));
  expect(world.requests.filter(({ what }) => describing.test(what))).toHaveLength(1);
  expect(beatsIn(world).length).toBeGreaterThan(2);
  expect(endingsIn(world)).toEqual(["open"]);
});
