import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { LifecycleState } from "../../sandbox/aws/lifecycle.ts";
import { nodeNow } from "../world/change.ts";
import { changeState, interrupt, tellOfHold } from "../world/ec2-events.ts";
import { evictionsIn, writtenIn } from "../world/evidence.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

/** A world whose first instance is in a state of its group; a pod runs on its node. */
function aWorld(state: string): VirtualWorld {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 1 } });
  put(world, state);
  return world;
}

/** Auto Scaling moves the first instance into a state, of which the sandbox does not know all. */
function put(world: VirtualWorld, state: string): void {
  const { register } = world.aws.autoScaling;
  register.putInstance({
    ...register.findInstance(instanceOf(1)),
    state: state as LifecycleState,
  });
}

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);

function expectUntouched(world: VirtualWorld): void {
  expect(writtenIn(world)).toEqual([]);
  expect(world.requests.filter(({ what }) => /Heartbeat|Complete/.test(what))).toEqual([]);
  expect(namesOn(world, 1)).toEqual(["web-1"]);
  expect(nodeNow(world, 1).spec.unschedulable ?? false).toBe(false);
}

const serving = [
  "InService",
  "Pending:Wait",
  "EnteringStandby",
  "Standby",
  "Detaching",
  "Terminating",
  "Terminating:Wait",
  "Terminating:Proceed",
  "Terminating:Retained",
];
const replacing = ["ReplacingRootVolume", "ReplacingRootVolume:Wait", "RootVolumeReplaced"];
const warm = ["Warmed:Stopped", "Warmed:Running", "Warmed:Pending:Wait", "Warmed:Terminating"];

describe("an instance that EC2 takes back", () => {
  it.each([...serving, ...replacing])(
    "is drained in state %s: its pods end with it",
    async (state) => {
      const world = aWorld(state);
      interrupt(world);
      await world.work();
      expect(evictionsIn(world)).toHaveLength(1);
      expect(outcomes(world)).toMatchObject([{ kind: "drained" }]);
    },
  );

  it.each(warm)("is left alone in state %s: it serves nothing", async (state) => {
    const world = aWorld(state);
    interrupt(world);
    await world.work();
    expectUntouched(world);
    expect(outcomes(world)).toEqual([
      {
        kind: "ignored",
        why: "in warm pool",
        reason: `instance ${instanceOf(1)} is ${state}: it is in the warm pool`,
      },
    ]);
  });
});

describe("an instance that is being stopped", () => {
  it.each(serving)("is drained in state %s as far as its minute goes", async (state) => {
    const world = aWorld(state);
    changeState(world, "stopping");
    await world.work();
    expect(evictionsIn(world)).toHaveLength(1);
    expect(world.told("node-marked")).toMatchObject([
      { reason: "stopping", deadline: "2026-11-20T10:01:00.000Z" },
    ]);
  });

  it.each([...warm, ...replacing])("is left alone in state %s: it lives on", async (state) => {
    const world = aWorld(state);
    changeState(world, "stopping");
    await world.work();
    expectUntouched(world);
    expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
  });

  it("is left alone if it runs again by the time its notice is read", async () => {
    const world = aWorld("Standby");
    changeState(world, "stopping");
    world.aws.ec2.setState(instanceOf(1), "running");
    world.withhold(minutes(10));
    await world.work();
    expectUntouched(world);
    expect(outcomes(world)).toMatchObject([
      { kind: "ignored", reason: expect.stringContaining("runs") },
    ]);
  });

  it("has the deadline of its group's setting", async () => {
    const tags = { "eks-node-lifecycle/event-stopping-timeout-seconds": "20" };
    const world = new VirtualWorld({ tags });
    deploy(world, { name: "web", on: { 1: 1 } });
    changeState(world, "shutting-down");
    await world.work();
    expect(world.told("node-marked")).toMatchObject([{ deadline: "2026-11-20T10:00:20.000Z" }]);
  });
});

describe("an instance that has left its group", () => {
  it("is left alone once it is detached, whatever is told of it", async () => {
    const world = aWorld("InService");
    put(world, "Terminated"); // it leaves the register, as a detached one does
    interrupt(world);
    changeState(world, "stopping");
    await world.work();
    expectUntouched(world);
    const reason = `instance ${instanceOf(1)} is in no Auto Scaling group`;
    expect(outcomes(world)).toEqual([
      { kind: "ignored", why: "no group", reason },
      { kind: "ignored", why: "no group", reason },
    ]);
  });
});

describe("a group that is deleted with force", () => {
  it("has its instances drained without a hook while Auto Scaling still lists them", async () => {
    const world = aWorld("Terminating");
    changeState(world, "shutting-down");
    await world.work();
    expect(evictionsIn(world)).toHaveLength(1);
    expect(world.requests.filter(({ what }) => /Heartbeat|Complete/.test(what))).toEqual([]);
  });

  it("has the notice of a hold ignored whose instance has disappeared", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.terminate(1);
    const notice = hookNotice(world);
    await world.drop();
    put(world, "Terminated");
    world.send(notice);
    await world.work();
    expectUntouched(world);
    expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
  });
});

describe("the hold of an instance that gets a new root volume", () => {
  it("is left alone: the instance survives, so nobody assumes that it ends", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.terminate(1);
    await world.drop();
    put(world, "ReplacingRootVolume:Wait");
    tellOfHold(world);
    await world.work();
    expectUntouched(world);
    expect(outcomes(world)).toEqual([
      {
        kind: "ignored",
        why: "not held",
        reason: `instance ${instanceOf(1)} is ReplacingRootVolume:Wait, not Terminating:Wait`,
      },
    ]);
  });
});
