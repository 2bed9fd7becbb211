import { describe, expect, it } from "vitest";
import { between, type Duration, minutes, seconds } from "../../lambda/base/time.ts";
import { interrupt } from "../world/ec2-events.ts";
import { endingsIn } from "../world/evidence.ts";
import { awsFailing } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const drained = [{ kind: "drained", attached: [], stuck: [] }];
const slow = {
  annotations: { "hollow/term-seconds": "28" },
  spec: { terminationGracePeriodSeconds: 30 },
};

const clocks: readonly (readonly [string, Duration])[] = [
  ["ten minutes ahead", minutes(10)],
  ["four minutes ahead", minutes(4)],
  ["a hundred seconds ahead", seconds(100)],
  ["a hundred seconds behind", seconds(-100)],
  ["ten minutes behind", minutes(-10)],
];

describe.each(clocks)("a function whose clock is %s", (_, clockAhead) => {
  it("waits for the grace of each pod before it completes the hook", async () => {
    const world = new VirtualWorld({ clockAhead });
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    const begun = world.timeline.now();
    await world.drain();
    expect(outcomes(world)).toEqual(drained);
    const [completed] = world.told("hook-completed");
    const lastGone = world.departures.at(-1)?.at ?? begun;
    expect(world.departures).toHaveLength(2);
    expect(between(begun, lastGone)).toBeGreaterThanOrEqual(seconds(28));
    expect(completed?.at).toBeGreaterThanOrEqual(lastGone);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("drains a Spot instance at its fresh notice", async () => {
    const world = new VirtualWorld({ clockAhead });
    deploy(world, { name: "web", on: { 1: 3 } });
    interrupt(world);
    await world.work();
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomes(world)).toEqual(drained);
  });

  it("writes its marks in the time of the API server", async () => {
    const world = new VirtualWorld({ clockAhead });
    deploy(world, { name: "web", ...slow, on: { 1: 1 } });
    interrupt(world);
    await world.work();
    const [marked] = world.told("node-marked");
    const until = Date.parse(marked?.deadline ?? "");
    expect(Math.abs(until - Date.parse("2026-11-20T10:01:45Z"))).toBeLessThanOrEqual(2000);
  });
});

describe("a function that does not know what time it is", () => {
  const describing = (world: VirtualWorld) =>
    world.requests.filter(({ what }) => what === "eks DescribeCluster");
  const passes = (world: VirtualWorld) => world.told("pass-started").map(({ at }) => at);

  it("does not ask first where the message vouches for its clock", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    await world.drain();
    const [first] = world.requests;
    expect(first?.what).toBe("autoscaling DescribeAutoScalingInstances");
    expect(describing(world)).toHaveLength(1);
  });

  it("asks EKS first where the message does not", async () => {
    const world = new VirtualWorld({ clockAhead: seconds(-30) });
    deploy(world, { name: "web", on: { 1: 1 } });
    await world.drain();
    expect(world.requests[0]?.what).toBe("eks DescribeCluster");
    expect(describing(world)).toHaveLength(1);
  });

  it("waits five seconds at most for an answer that does not come", async () => {
    const world = new VirtualWorld({ clockAhead: minutes(10) });
    deploy(world, { name: "web", ...slow, on: { 1: 1 } });
    world.faults = awsFailing(/DescribeCluster/, "hang", 4);
    const begun = world.timeline.now();
    await world.drain();
    const [first = begun] = passes(world);
    expect(between(begun, first)).toBe(seconds(5));
    expect(outcomes(world)).toEqual(drained);
    expect(world.departures).toHaveLength(1);
  });
});
