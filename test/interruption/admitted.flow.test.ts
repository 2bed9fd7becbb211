import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { isOfOthers } from "../../lambda/notice/outcome.ts";
import { interrupt, recommend } from "../world/ec2-events.ts";
import { evictionsIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { group, instanceOf, otherGroup } from "../world/world-options.ts";
import { announce, forge } from "./planned-work.ts";

const zone = "eu-west-1a";
const strangers = Array.from({ length: 200 }, (_, index) => instanceOf(1000 + index));

/** A world in whose account a group of somebody else runs 200 Spot instances. */
function aSharedAccount(settings: Readonly<Record<string, string>> = {}): VirtualWorld {
  const world = new VirtualWorld({ settings });
  world.aws.autoScaling.createGroup({
    name: "strangers",
    zones: [zone],
    max: 2000,
    launches: "never",
    tags: [{ key: "team", value: "red", propagated: false }],
  });
  for (const id of strangers) world.aws.autoScaling.attach({ id, zone, group: "strangers" });
  return world;
}

/** What the function asked while it worked, without the queue's own requests; each name with its count. */
function asked(world: VirtualWorld): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { what } of world.requests)
    if (!what.startsWith("sqs ")) counts[what] = (counts[what] ?? 0) + 1;
  return counts;
}

const reasons = (world: VirtualWorld) =>
  new Set(
    world
      .told("notice-done")
      .map(({ outcome }) => (outcome.kind === "ignored" ? outcome.reason : outcome.kind)),
  );

describe("notices of an account's other instances", () => {
  it("cost one request for each batch of ten: 20 for 200 instances, and none of EC2 or the cluster", async () => {
    const world = aSharedAccount();
    for (const id of strangers) interrupt(world, id);
    await world.work();
    expect(asked(world)).toEqual({ "autoscaling DescribeAutoScalingInstances": 20 });
    expect(reasons(world)).toEqual(
      new Set([`group strangers is not managed here (managed: ${group})`]),
    );
  });

  it("also read the tags of their groups where a tag chooses groups", async () => {
    const world = aSharedAccount({
      MANAGED_GROUPS: JSON.stringify([{ key: "team", value: "blue" }]),
    });
    for (const id of strangers) interrupt(world, id);
    await world.work();
    expect(asked(world)).toEqual({
      "autoscaling DescribeAutoScalingInstances": 20,
      "autoscaling DescribeAutoScalingGroups": 20,
    });
  });

  it("are asked about anew after some minutes, in case their group is managed by then", async () => {
    const world = aSharedAccount({
      MANAGED_GROUPS: JSON.stringify([{ key: "team", value: "red" }]),
    });
    const tags = (value: string) => [{ key: "team", value, propagated: false }];
    const { register } = world.aws.autoScaling;
    register.put({ ...register.findGroup("strangers"), tags: tags("blue") });
    interrupt(world, strangers[0]);
    await world.work();
    register.put({ ...register.findGroup("strangers"), tags: tags("red") });
    world.pass(minutes(6));
    interrupt(world, strangers[0]);
    await world.work();
    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toEqual([
      "ignored",
      "no-node",
    ]);
  });

  const laterNotices = {
    interruption: (world: VirtualWorld) => interrupt(world, instanceOf(1000)),
    "planned work": (world: VirtualWorld) => void announce(world, { on: [1000] }),
  };

  it.each(["interruption", "planned work"] as const)(
    "are asked about again at once for an %s: their group may be managed by then",
    async (about) => {
      const world = aSharedAccount({
        MANAGED_GROUPS: JSON.stringify([{ key: "team", value: "blue" }]),
      });
      recommend(world, instanceOf(1000));
      await world.work(minutes(1));
      expect(reasons(world).size).toBe(1);
      const { register } = world.aws.autoScaling;
      const tags = [{ key: "team", value: "blue", propagated: false }];
      register.put({ ...register.findGroup("strangers"), tags });
      laterNotices[about](world);
      await world.work(minutes(1));
      const told = world.told("notice-done").map(({ outcome }) => outcome);
      expect(told.filter((outcome) => isOfOthers(outcome))).toHaveLength(1);
    },
  );

  it("do not touch an instance that is in no group", async () => {
    const world = new VirtualWorld();
    interrupt(world, "i-0abcdefabcdefabcd");
    await world.work();
    expect(reasons(world)).toEqual(
      new Set(["instance i-0abcdefabcdefabcd is in no Auto Scaling group"]),
    );
  });

  it("that are read with one of ours do not keep it from being drained", async () => {
    const world = aSharedAccount();
    deploy(world, { name: "web", on: { 1: 1 } });
    for (const id of strangers.slice(0, 5)) interrupt(world, id);
    interrupt(world);
    await world.work();
    expect(evictionsIn(world)).toHaveLength(1);
  });

  it("go by the tags of each group", async () => {
    const world = new VirtualWorld({
      tags: { "eks-node-lifecycle/drain-mode": "cordon-only" },
      others: { nodes: [2], tags: {} },
    });
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    interrupt(world, instanceOf(1));
    interrupt(world, instanceOf(2));
    await world.work();
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(["create pods/eviction web-2 201"]);
    expect(otherGroup).not.toBe(group);
  });
});

const throttled = { code: "Throttling", message: "Rate exceeded", status: 400 };

describe("a forged notice about very many instances", () => {
  it("fails alone where AWS throttles its questions: a true notice of the same moment does not", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    forge(world, { on: [1, ...Array.from({ length: 2000 }, (_, at) => 5000 + at)] });
    interrupt(world);
    world.faults = ({ what, body }) =>
      what === "autoscaling DescribeAutoScalingInstances" && /InstanceIds\.member\.2=/.test(body)
        ? { kind: "aws-fault", fault: throttled, moment: "before" }
        : well;
    await world.work(minutes(1));
    expect(evictionsIn(world)).toHaveLength(1);
    const faulted = new Set(world.told("fault").map(({ messageId }) => messageId));
    const [interruption] = world.told("pass-ended");
    expect(faulted.size).toBe(1);
    expect(faulted).not.toContain(interruption?.messageId);
  });
});
