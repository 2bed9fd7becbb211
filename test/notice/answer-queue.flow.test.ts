import { describe, expect, it } from "vitest";
import { between, minutes, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { longestRestWithin } from "../../lambda/drain/drain-bounds.ts";
import { longestHold } from "../../lambda/drain/drain-deadline.ts";
import { mostReceives } from "../../lambda/notice/renewal.ts";
import { changeBudget } from "../world/change.ts";
import { interrupt } from "../world/ec2-events.ts";
import { endingsIn, evictionsIn, outcomesIn, took, writtenIn } from "../world/evidence.ts";
import { awsFailing, type Fault, failing, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { group, hook, instanceOf, nodeOf } from "../world/world-options.ts";

const drained = { kind: "drained", attached: [], stuck: [] };

const deadLettered = (world: VirtualWorld) =>
  world.aws.sqs
    .findQueue("dead-letters")
    .contents()
    .map(({ message: { body, attributes } }) => {
      const { Fault: fault } = attributes;
      return { body, reason: fault?.StringValue };
    });

const waiting = (world: VirtualWorld) => world.aws.sqs.findQueue("notices").contents();

describe("a message that makes no sense", () => {
  const nonsense = [
    { name: "no JSON", body: "hello" },
    { name: "no notice", body: "{}" },
    {
      name: "half a notice",
      body: '{"LifecycleTransition":"autoscaling:EC2_INSTANCE_TERMINATING"}',
    },
    { name: "noise", body: "x".repeat(200_000) },
  ];

  it.each(nonsense)(
    "($name) goes to the dead letters with the reason, and the rest of the batch is worked on",
    async ({ body }) => {
      const world = new VirtualWorld();
      deploy(world, { name: "web", on: { 1: 1 } });
      const queue = world.aws.sqs.findQueue("notices");
      queue.send({ body, senderId: "somebody", attributes: {}, traceHeader: "" });
      await world.drain();
      expect(outcomesIn(world)).toEqual([drained]);
      expect(deadLettered(world)).toEqual([
        { body, reason: expect.stringMatching(/^event\.malformed: .*Records\[0\]\.body/) },
      ]);
      expect(world.told("fault").map(({ code }) => code)).toEqual(["event.malformed"]);
      expect(waiting(world)).toEqual([]);
    },
  );

  it("stays in the queue while it cannot be sent to the dead letters", async () => {
    const world = new VirtualWorld();
    const queue = world.aws.sqs.findQueue("notices");
    queue.send({ body: "hello", senderId: "somebody", attributes: {}, traceHeader: "" });
    world.aws.authorize = ({ action }) => (action === "sqs:SendMessage" ? "denied" : "allowed");
    await world.work(minutes(1));
    expect(waiting(world)).toHaveLength(1);
    world.aws.authorize = () => "allowed";
    await world.work();
    expect(waiting(world)).toEqual([]);
    expect(deadLettered(world)).toHaveLength(1);
  });
});

describe("a pass that fails", () => {
  it("is tried again after 5, 10, 20, 40, 80, 160 and then every 180 seconds", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "172800" } });
    world.faults = failing(/./, "reset");
    await world.drain(seconds(710));
    const ends = world.told("fault").map(({ at }) => at);
    const starts = world.told("pass-started").map(({ at }) => at);
    const rests = starts.slice(1).map((at, index) => (at - (ends[index] ?? at)) / 1000);
    expect(rests).toEqual([5, 10, 20, 40, 80, 160, 180, 180]);
  });
});

describe("a pass that fails before its hook is known", () => {
  const restsOf = async (settings: Readonly<Record<string, string>>) => {
    const world = new VirtualWorld({ settings });
    world.faults = awsFailing(/^autoscaling/, "reset");
    world.terminate(1);
    await world.work(minutes(20));
    const ends = world.told("fault").map(({ at }) => at);
    const starts = world.told("pass-started").map(({ at }) => at);
    return starts.slice(1).map((at, index) => (at - (ends[index] ?? at)) / 1000);
  };

  it.each([
    { heartbeat: 30, most: 7.5 },
    { heartbeat: 240, most: 60 },
    { heartbeat: 1800, most: 180 },
  ])(
    "is tried again within a quarter of the hooks' heartbeat timeout of $heartbeat seconds",
    async ({ heartbeat, most }) => {
      const rests = await restsOf({
        HOOK_HEARTBEAT_SECONDS: String(heartbeat),
        DRAIN_TIMEOUT_SECONDS: "600",
        LAUNCH_TIMEOUT_SECONDS: "600",
      });
      expect(Math.max(...rests)).toBeLessThanOrEqual(most);
      expect(Math.max(...rests)).toBeGreaterThan(most - 1);
    },
  );

  it.each([30, 240, 719, 720, 7200])(
    "is tried for longer than a hook with a heartbeat timeout of %i seconds can hold",
    (heartbeat) => {
      const rest = Math.min(wholeSeconds(longestRestWithin(seconds(heartbeat))), 180);
      expect(mostReceives * rest).toBeGreaterThan(wholeSeconds(longestHold(seconds(heartbeat))));
    },
  );
});

it("a message that is alone in its batch is hidden once a pass, for its rest", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "600" } });
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  await world.drain();
  const rests = world.told("pass-ended").length;
  expect(rests).toBeGreaterThan(1);
  expect(world.aws.calls.of("ChangeMessageVisibility")).toHaveLength(rests);
});

describe("each line of the log", () => {
  const settings = { DRAIN_TIMEOUT_SECONDS: "120" };

  it("names the message, the instance and the group that it is about", async () => {
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.addBudget({ name: "web", minAvailable: 2 });
    world.faults = ({ to, number }) =>
      to === "cluster" && number < 20
        ? { kind: "cluster-fault", fault: "reset", moment: "before" }
        : well;
    world.terminate(1);
    world.terminate(2);

    await world.work();

    const kinds = new Set(world.entries.map(({ kind }) => kind));
    for (const kind of ["fault", "pods-seen", "warning", "pass-ended", "notice-done"])
      expect(kinds).toContain(kind);
    for (const index of [1, 2]) {
      const own = world.entries.filter(({ instance }) => instance === instanceOf(index));
      const [messageId = ""] = own.map(({ messageId: id }) => id);
      expect(messageId).toMatch(/^[0-9a-f-]{36}$/);
      expect(own.filter((entry) => entry.messageId === messageId && entry.group === group)).toEqual(
        own,
      );
    }
    expect(world.entries.filter(({ instance }) => instance === undefined)).toEqual([]);
  });

  it("names the message alone if the message makes no sense", async () => {
    const world = new VirtualWorld();
    const queue = world.aws.sqs.findQueue("notices");
    queue.send({ body: "hello", senderId: "somebody", attributes: {}, traceHeader: "" });

    await world.work();

    expect(world.entries).toMatchObject([{ kind: "fault", messageId: expect.any(String) }]);
  });
});

describe("a message that should rest in the queue", () => {
  const troubles: readonly Fault[] = [
    { kind: "aws-fault", fault: "reset", moment: "before" },
    // The message rests, and is back in the queue by the time the SDK calls again.
    { kind: "aws-fault", fault: "hang", moment: "after" },
    {
      kind: "aws-fault",
      fault: {
        status: 400,
        code: "AWS.SimpleQueueService.MessageNotInflight",
        message: "The message referred to isn't in flight.",
      },
      moment: "before",
    },
  ];

  it.each(troubles)("comes back by itself when SQS cannot delay it: $fault", async (fault) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", minAvailable: 1 });
    world.faults = ({ what }) => (what === "sqs ChangeMessageVisibility" ? fault : well);
    world.in(seconds(200), () => changeBudget(world, "web", { minAvailable: 0 }));
    await world.drain();
    expect(outcomesIn(world).filter(({ kind }) => kind === "drained")).toHaveLength(1);
    expect(deadLettered(world)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});

describe("an interruption while SQS lets no message rest", () => {
  const troubles = [
    "hang",
    { code: "RequestThrottled", message: "no", status: 429 },
    { code: "AccessDenied", message: "no", status: 403 },
  ] as const;

  it.each(troubles)("has its pods evicted within seconds: %j", async (fault) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 3, 2: 3 } });
    world.faults = awsFailing(/ChangeMessageVisibility/, fault);
    const begun = world.timeline.now();
    interrupt(world);
    await world.work(minutes(2));
    expect(outcomesIn(world)).toEqual([drained]);
    expect(between(begun, evictionsIn(world)[0]?.at ?? begun)).toBeLessThan(seconds(6));
  });

  it.each(troubles)("waits for no other message of its batch: %j", async (fault) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 3 } });
    deploy(world, { name: "held", on: { 2: 1 } });
    world.cluster.addBudget({ name: "held", maxUnavailable: 0 });
    world.terminate(2);
    await world.work(seconds(90));
    world.pass(minutes(3));
    world.faults = awsFailing(/ChangeMessageVisibility/, fault);
    const begun = world.timeline.now();
    interrupt(world);
    await world.work(minutes(2));
    const ofNode = evictionsIn(world).filter(({ what }) => what.includes("web"));
    expect(namesOn(world, 1)).toEqual([]);
    expect(between(begun, ofNode[0]?.at ?? begun)).toBeLessThan(seconds(6));
  });

  it("goes on as long as its invocation, whatever meets it in its first passes", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 3, 2: 3 } });
    const visibility = awsFailing(/ChangeMessageVisibility/, "hang");
    const early = failing(/./, "reset", 12);
    world.faults = (request) => (request.to === "aws" ? visibility : early)(request);
    interrupt(world);
    await world.work(minutes(2));
    expect(world.told("fault").length).toBeGreaterThan(1);
    expect(outcomesIn(world)).toEqual([drained]);
  });
});

describe("a test notification", () => {
  it("is acknowledged, and nothing is touched", async () => {
    const world = new VirtualWorld();
    world.aws.autoScaling.putHook(group, { name: hook, targetArn: world.topicArn });
    await world.work();
    expect(outcomesIn(world)).toEqual([{ kind: "tested" }]);
    expect(world.requests).toEqual([]);
    expect(waiting(world)).toEqual([]);
  });
});

describe("tags of a group", () => {
  const blocked = async (
    tags: Readonly<Record<string, string>>,
    force = "at-deadline",
  ): Promise<VirtualWorld> => {
    const world = new VirtualWorld({ tags, settings: { DRAIN_FORCE: force } });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain();
    return world;
  };

  it("override the deployment's settings for draining its nodes", async () => {
    const timeout = { "eks-node-lifecycle/drain-timeout-seconds": "120" };
    const forced = await blocked(timeout);
    expect(outcomesIn(forced)).toMatchObject([{ kind: "forced" }]);
    expect(took(forced)).toBeGreaterThan(seconds(90));
    expect(took(forced)).toBeLessThanOrEqual(seconds(92));
    expect(forced.told("warning").filter(({ about }) => about.startsWith("group"))).toEqual([]);

    const patient = await blocked({ ...timeout, "eks-node-lifecycle/drain-force": "never" });
    expect(outcomesIn(patient)).toEqual([{ kind: "expired", left: [expect.anything()] }]);
    expect(took(patient)).toBe(seconds(120));
  });

  it("that ask for force are ignored with a warning where the function may not delete pods", async () => {
    const tags = {
      "eks-node-lifecycle/drain-timeout-seconds": "120",
      "eks-node-lifecycle/drain-force": "at-deadline",
    };
    const world = await blocked(tags, "never");
    expect(outcomesIn(world)).toEqual([{ kind: "expired", left: [expect.anything()] }]);
    expect(writtenIn(world).filter((what) => what.startsWith("delete pods"))).toEqual([]);
    expect(world.told("warning")[0]).toMatchObject({
      about: "group workers",
      warnings: [
        'tag eks-node-lifecycle/drain-force: expected "never", for DRAIN_FORCE=never gives no right to delete pods, got "at-deadline"; ignored',
      ],
    });
  });

  it("that make no sense are ignored one by one, each with a warning", async () => {
    const world = await blocked({
      "eks-node-lifecycle/drain-timeout-seconds": "120",
      "eks-node-lifecycle/drain-force": "sometimes",
    });
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
    expect(took(world)).toBeLessThanOrEqual(seconds(92));
    expect(world.told("warning")[0]).toMatchObject({
      about: "group workers",
      warnings: [
        'tag eks-node-lifecycle/drain-force: expected "at-deadline" or "never", got "sometimes"; ignored',
      ],
    });
  });
});

describe("a deployment that only cordons", () => {
  const settings = { DRAIN_MODE: "cordon-only" };

  it("evicts nothing, and completes no hook before the deadline while pods run", async () => {
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 2 } });
    await world.drain();
    expect(writtenIn(world)).toEqual([`patch nodes ${nodeOf(1)} 200`]);
    expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
    expect(took(world)).toBe(minutes(15));
    expect(outcomesIn(world)).toEqual([
      { kind: "expired", left: [expect.anything(), expect.anything()] },
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("completes the hook as soon as the pods have ended by themselves", async () => {
    const world = new VirtualWorld({ settings });
    world.cluster.addPod({
      name: "job",
      node: nodeOf(1),
      annotations: { "hollow/exit.main": "72" },
      spec: { restartPolicy: "Never" },
    });
    await world.drain();
    expect(evictionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toEqual([drained]);
    expect(took(world)).toBe(seconds(72));
  });
});
