import { beforeAll, describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  hours,
  instant,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import type { Queue } from "../../sandbox/aws/queue.ts";
import { completionsIn, endingsIn } from "../world/evidence.ts";
import { awsFailing, type FunctionRequest, well } from "../world/fault-plan.ts";
import { hookNotice } from "../world/hook-notice.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

const visibility = seconds(130);
const mostReceives = 80;

const notices = (world: VirtualWorld): Queue => world.aws.sqs.findQueue("notices");
const deadOf = (world: VirtualWorld) => world.aws.sqs.findQueue("dead-letters").contents();

const endedIn = (world: VirtualWorld) => world.told("notice-done").map(({ instance }) => instance);

/** Kills the function's process at a pass's first request of Auto Scaling about this instance. */
const poison =
  (index: number) =>
  ({ pass, what }: FunctionRequest) =>
    pass !== "none" && pass.index === index && what.startsWith("autoscaling")
      ? ({ kind: "death", moment: "before" } as const)
      : well;

describe("a notice on which every pass crashes", () => {
  it("is a dead letter after three hours, not after a day and a half", async () => {
    const world = new VirtualWorld();
    world.faults = poison(1);
    world.terminate(1);
    const began = world.timeline.now();
    await world.work(hours(3));
    expect(deadOf(world)).toHaveLength(1);
    expect(world.told("pass-started")).toHaveLength(mostReceives);
    const [last = { at: began }] = world.told("pass-started").toReversed();
    expect(between(began, last.at)).toBe(milliseconds(visibility * (mostReceives - 1)));
  });

  it("is one also if it crashes only after it has waited for hours", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "172800" } });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(hours(4));
    const patient = world.told("pass-started").length;
    expect(patient).toBeGreaterThan(mostReceives);
    expect(deadOf(world)).toEqual([]);
    world.faults = poison(1);
    await world.work(hours(4));
    expect(deadOf(world)).toHaveLength(1);
    const crashed = world.told("pass-started").length - patient;
    expect(crashed).toBeGreaterThanOrEqual(60);
    expect(crashed).toBeLessThanOrEqual(mostReceives);
  });

  it("takes its neighbours with it once, and then crashes alone", async () => {
    const world = new VirtualWorld({ nodes: 11 });
    for (const index of [2, 3, 4, 5, 6, 7, 8, 9, 10])
      deploy(world, { name: `web-${index}`, on: { [index]: 1, 11: 1 } });
    world.faults = poison(1);
    const innocent = [2, 3, 4, 5, 6, 7, 8, 9, 10];
    for (const index of [1, ...innocent]) world.terminate(index);
    await world.work(minutes(8));
    expect(endedIn(world).toSorted()).toEqual(innocent.map(instanceOf));
    const passes = world.told("pass-started").filter(({ instance }) => instance !== instanceOf(1));
    for (const index of innocent)
      expect(passes.filter(({ instance }) => instance === instanceOf(index)).length).toBeLessThan(
        5,
      );
    await world.work(hours(3));
    expect(deadOf(world)).toHaveLength(1);
    expect(endedIn(world)).toHaveLength(9);
  });
});

/** A drain of some length that a budget blocks until its end. */
function blocked(timeout: Duration): VirtualWorld {
  const settings = { DRAIN_TIMEOUT_SECONDS: String(timeout / 1000), DRAIN_FORCE: "never" };
  const world = new VirtualWorld({ settings });
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.terminate(1);
  return world;
}

/** The receives of the message that was received least of those older than ten minutes. */
const fewestReceivesOfOld = (world: VirtualWorld): number =>
  Math.min(
    ...notices(world)
      .contents()
      .filter(({ message }) => between(message.sentAt, world.timeline.now()) > minutes(10))
      .map(({ handling }) => handling.receives),
  );

const renewals = (world: VirtualWorld) =>
  world.requests.filter(({ what }) => what === "sqs SendMessage");

describe("a notice that waits for four hours", () => {
  const world = blocked(hours(4));
  const fewest: number[] = [];

  beforeAll(async () => {
    for (let minute = 0; minute < 4 * 60; minute += 1) {
      await world.work(minutes(1));
      fewest.push(fewestReceivesOfOld(world));
    }
    await world.work();
  });

  it("is no dead letter, however often it is received, and its passes are counted on", () => {
    const passes = world.told("pass-started");
    expect(passes.length).toBeGreaterThan(mostReceives);
    expect(passes.map(({ receives }) => receives)).toEqual(passes.map((_, index) => index + 1));
    expect(renewals(world)).toHaveLength(Math.floor((passes.length - 1) / 20));
    expect(deadOf(world)).toEqual([]);
    expect(notices(world).contents()).toEqual([]);
    expect(completionsIn(world)).toBe(1);
  });

  it("has always been received four times before it is ten minutes old, so that no alarm counts it", () => {
    expect(Math.min(...fewest)).toBeGreaterThan(3);
    expect(renewals(world).length).toBeGreaterThan(3);
  });

  it("is about the same instance in the log, whatever message it is in", () => {
    const ids = new Set(world.entries.map(({ messageId }) => messageId));
    expect(ids.size).toBe(1 + renewals(world).length);
    expect(new Set(world.entries.map(({ instance }) => instance))).toEqual(
      new Set([instanceOf(1)]),
    );
  });
});

describe("a notice that waits", () => {
  it("is worked on once at a time when the function dies between the fresh message and the deletion of the old one", async () => {
    const world = blocked(hours(1));
    let deaths = 0;
    world.faults = ({ what }) => {
      if (what !== "sqs DeleteMessage" || deaths > 2) return well;
      deaths += 1;
      return { kind: "death", moment: "before" };
    };
    await world.work();
    expect(deaths).toBe(3);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(completionsIn(world)).toBe(1);
    expect(notices(world).contents()).toEqual([]);
    expect(deadOf(world)).toEqual([]);
  });

  it("stays when SQS takes no fresh message, and is not doubled when SQS does not delete the old one", async () => {
    const world = blocked(hours(3));
    const reset = { kind: "aws-fault", fault: "reset", moment: "before" } as const;
    world.faults = ({ what, number }) =>
      what === "sqs DeleteMessage" || (what === "sqs SendMessage" && number % 3 > 0) ? reset : well;
    let most = 0;
    for (let at = 0; at < 3 * 60; at += 1) {
      await world.work(minutes(1));
      most = Math.max(most, notices(world).contents().length);
    }
    await world.work();
    expect(renewals(world).length).toBeGreaterThan(3);
    expect(most).toBe(1);
    expect(completionsIn(world)).toBe(1);
  });
});

describe("a message of somebody else that claims to be the last of very many", () => {
  it("is tried again after a fault, like any other", async () => {
    const world = new VirtualWorld();
    world.terminate(1);
    await world.drop();
    const attributes = { Receives: { DataType: "Number", StringValue: "1500" } };
    const sent = { senderId: "AROAANOTHERROLE:function", attributes, traceHeader: "" };
    notices(world).send({ ...sent, body: JSON.stringify(hookNotice(world)) });
    world.faults = awsFailing(/^autoscaling/, "reset");
    world.in(minutes(1), () => {
      world.faults = () => well;
    });
    await world.work(minutes(10));
    expect(deadOf(world)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});

describe("a notice that meets a fault in every pass, and has no deadline", () => {
  it("goes to the dead letters with the reason after almost three days", async () => {
    const world = new VirtualWorld();
    world.terminate(1);
    world.faults = awsFailing(/^autoscaling/, "reset");
    const began = world.timeline.now();
    await world.work(hours(96));
    const [dead] = deadOf(world);
    const { Fault: reason } = dead?.message.attributes ?? {};
    expect(reason?.StringValue).toMatch(/^aws\./);
    expect(between(began, dead?.message.sentAt ?? instant(0))).toBeGreaterThan(hours(48));
  });
});
