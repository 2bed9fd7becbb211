import { describe, expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { type Duration, minutes, seconds } from "../../lambda/base/time.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { endingsIn, writtenIn } from "../world/evidence.ts";
import { LaunchWorld, launched } from "../world/launch-world.ts";
import { group, type WorldOptions } from "../world/world-options.ts";

const former = instanceId("i-07f0e1d2c3b4a5968");
const place = { resource: nodes, name: launched.node };

/** An instance has ended, its node is still there, and the instance that is launched has its address and name. */
function worldAfter(
  options: WorldOptions = {},
  whose: "nobody's" | "the group's" = "the group's",
): LaunchWorld {
  const settings = {
    LAUNCH_RESULT_AT_DEADLINE: "ABANDON",
    EVENT_REMOVE_NODE: "stopped",
    ...options.settings,
  };
  const world = new LaunchWorld({ cloudController: "never", ...options, settings });
  const { ec2, autoScaling } = world.aws;
  const zone = "eu-west-1a";
  ec2.run({ id: former, zone, privateIp: "10.0.9.9" });
  if (whose === "the group's") autoScaling.attach({ id: former, zone, group });
  const providerID = `aws:///${zone}/${former}`;
  world.cluster.addNode({ name: launched.node, providerID, unschedulable: true });
  return world;
}

/** The machine ends at once; its kubelet with it, and Kubernetes notices that later. */
function end({ aws }: LaunchWorld): void {
  const { register } = aws.autoScaling;
  aws.ec2.setState(former, "shutting-down");
  aws.ec2.setState(former, "terminated");
  for (const one of register.instances())
    if (one.id === former) register.putInstance({ ...one, state: "Terminated" });
}

/** The kubelet of the launched instance starts: it registers its node, or reports to the one that has its name. */
function kubeletStarts(world: LaunchWorld, state: "not-ready" | "ready", within: Duration): void {
  world.in(within, () => {
    if (world.cluster.store.tryGet(place) === undefined) return world.join({ state });
    world.cluster.resumeKubelet(launched.node);
    return world.cluster.reportNode(launched.node, state);
  });
}

const providerOf = (world: LaunchWorld) => world.cluster.store.tryGet(place)?.spec.providerID;
const outcomesOf = (world: LaunchWorld) =>
  world
    .told("notice-done")
    .map(({ outcome }) => outcome)
    .filter(({ kind }) => kind !== "tested");
const removals = (world: LaunchWorld) =>
  writtenIn(world).filter((what) => what.startsWith("delete nodes"));

describe("a launched instance whose name a node of an ended instance has", () => {
  it("gets that node out of its way before its kubelet starts", async () => {
    const world = worldAfter();
    end(world);
    world.launch();
    kubeletStarts(world, "ready", seconds(80));

    await world.work();

    expect(removals(world)).toEqual([`delete nodes ${launched.node} 200`]);
    expect(providerOf(world)).toMatch(launched.id);
    expect(outcomesOf(world)).toContainEqual({ kind: "joined", node: launched.node });
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("ends as not joined, with the node and the instance named, once its kubelet reports there", async () => {
    const world = worldAfter();
    end(world);
    world.launch();
    kubeletStarts(world, "ready", seconds(15));

    await world.work();

    expect(removals(world)).toEqual([]);
    expect(providerOf(world)).toMatch(former);
    expect(outcomesOf(world)).toEqual([
      {
        kind: "not-joined",
        reason: `node ${launched.node}, a name of ${launched.id}, is ready and cordoned and by its provider ID that of ${former}, which has ended`,
        result: "ABANDON",
      },
    ]);
    const [begun] = world.told("pass-started").filter(({ notice }) => /^launching/.test(notice));
    const took = (world.told("hook-completed")[0]?.at ?? Number.NaN) - (begun?.at ?? 0);
    expect(took).toBeGreaterThanOrEqual(minutes(2) - seconds(1));
    expect(took).toBeLessThan(minutes(3));
  });

  it("keeps that node while a kubelet reports that it is not ready, for no kubelet registers again", async () => {
    const world = worldAfter();
    end(world);
    world.launch();
    kubeletStarts(world, "not-ready", seconds(15));

    await world.work(minutes(14));

    expect(removals(world)).toEqual([]);
    expect(endingsIn(world)).toEqual(["open"]);
  });

  it.each([
    ["no nodes are removed", { EVENT_REMOVE_NODE: "never" }, "the group's", "terminated"],
    ["it is a dry run", { DRAIN_MODE: "dry-run" }, "the group's", "terminated"],
    ["the other instance only shuts down", {}, "the group's", "shutting-down"],
    ["the other instance was of no group", {}, "nobody's", "terminated"],
  ] as const)("keeps that node where %s", async (_, settings, whose, state) => {
    const world = worldAfter({ settings }, whose);
    if (state === "terminated") end(world);
    else world.aws.ec2.setState(former, state);
    world.launch();

    await world.work(minutes(14));

    expect(removals(world)).toEqual([]);
    expect(providerOf(world)).toMatch(former);
  });
});
