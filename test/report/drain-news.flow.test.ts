import { describe, expect, it } from "vitest";
import { later, minutes, seconds } from "../../lambda/base/time.ts";
import { newsAnnotation } from "../../lambda/drain/marking.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { changeBudget } from "../world/change.ts";
import { interrupt, recommend } from "../world/ec2-events.ts";
import { outcomesIn } from "../world/evidence.ts";
import { type FunctionRequest, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { group, instanceOf, nodeOf, type WorldOptions } from "../world/world-options.ts";

const on = { DRAIN_NEWS: "on" };

/** A world with pods on the node that is drained first, in a deployment with a webhook. */
function aWorld({ settings, ...options }: WorldOptions = {}, pods = 3): VirtualWorld {
  const world = new VirtualWorld({ ...options, settings: { ...on, ...settings } });
  deploy(world, { name: "web", on: { 1: pods } });
  return world;
}

async function drained(world: VirtualWorld): Promise<VirtualWorld> {
  world.pass(seconds(10));
  await world.drain();
  return world;
}

const newsIn = (world: VirtualWorld) => world.told("drain-news");
const kindsIn = (world: VirtualWorld) => newsIn(world).map(({ news }) => news);
const noted = (world: VirtualWorld) =>
  world.cluster.store.list(nodes).map(({ metadata }) => metadata.annotations?.[newsAnnotation]);

/** A world in which a budget lets no pod go for so long. */
function blocked(world: VirtualWorld, lasts = minutes(4)): VirtualWorld {
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.in(lasts, () => changeBudget(world, "web", { maxUnavailable: 3 }));
  return world;
}

describe("the news of a drain", () => {
  it("are its start, its first block and its end, once each in many passes, in the words of the Events", async () => {
    const world = await drained(blocked(aWorld()));
    expect(world.told("pass-started").length).toBeGreaterThan(3);
    expect(newsIn(world)).toMatchObject([
      {
        news: "start",
        tone: "good",
        node: nodeOf(1),
        advice: "",
        text: "instance i-00000000000000001 (terminating): 3 pods have to leave by 2026-11-20T10:15:10.000Z, 0 stay",
      },
      {
        news: "block",
        tone: "warning",
        node: nodeOf(1),
        text: "budget default/web (3 healthy of 3 desired, 0 disruptions allowed) holds 3 pods: default/web-1, default/web-2, default/web-3",
        advice:
          "Repair the pods of budget default/web, or let it allow a disruption before 2026-11-20T10:15:10.000Z: docs/runbook.md#a-drain-takes-long",
      },
      {
        news: "end",
        tone: "good",
        node: nodeOf(1),
        advice: "",
        text: expect.stringMatching(
          /^no pod holds the node any more \(drained, after 3 min \d+ s\)$/,
        ),
      },
    ]);
    expect(newsIn(world)).toMatchObject(
      Array(3).fill({ instance: instanceOf(1), group: "workers", token: expect.anything() }),
    );
    expect(noted(world)).toEqual(["end", undefined]);
  });

  it("count the pods of a drain of one pass", async () => {
    expect(newsIn(await drained(aWorld()))).toMatchObject([
      { news: "start" },
      { text: "no pod holds the node any more (drained, after 5 s; 3 pods evicted, 0 deleted)" },
    ]);
  });

  it("leave out a budget that lets a pod go within some seconds", async () => {
    expect(kindsIn(await drained(blocked(aWorld(), seconds(15))))).toEqual(["start", "end"]);
    expect(kindsIn(await drained(blocked(aWorld(), seconds(40))))).toEqual([
      "start",
      "block",
      "end",
    ]);
  });

  it("tell of protected pods as a block, and warn where the deadline came first", async () => {
    const world = aWorld({ settings: { DRAIN_FORCE: "never" } }, 0);
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    deploy(world, { name: "kept", annotations, on: { 1: 1 } });
    await drained(world);
    expect(newsIn(world)).toMatchObject([
      { news: "start" },
      {
        news: "block",
        tone: "warning",
        text: "1 pod is protected: default/kept-1",
        advice: expect.stringContaining(
          "Remove the protection of these pods if they may go before 2026",
        ),
      },
      {
        news: "end",
        tone: "warning",
        text: expect.stringContaining("the deadline came first; left: default/kept-1"),
        advice: 'docs/runbook.md says under "Outcome expired" what to do',
      },
    ]);
  });

  it("are told once where a Spot interruption and a hook are about one instance, in two processes", async () => {
    const world = blocked(aWorld({ batchSize: 1 }), minutes(1));
    world.pass(seconds(10));
    interrupt(world);
    world.in(seconds(30), () => world.terminate(1));
    await world.work();
    expect(outcomesIn(world).map(({ kind }) => kind)).toEqual(["drained", "drained"]);
    expect(kindsIn(world)).toEqual(["start", "block", "end"]);
    expect(newsIn(world)[0]?.text).toContain("(interrupted)");
  });

  it("leave no trace at an instance that is kept, which may be drained again", async () => {
    const settings = { DRAIN_FORCE: "never", DRAIN_RESULT_AT_DEADLINE: "ABANDON" };
    const world = blocked(aWorld({ settings }), minutes(20));
    const { register } = world.aws.autoScaling;
    register.put({ ...register.findGroup(group), onAbandon: "retain" });
    await drained(world);
    expect(kindsIn(world)).toEqual(["start", "block", "end"]);
    expect(noted(world)).toEqual([undefined, undefined]);
  });

  it("say that a drain is called off", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(minutes(2));
    const { register } = world.aws.autoScaling;
    register.putInstance({ ...register.findInstance(instanceOf(1)), state: "InService" });
    await world.work(minutes(10));
    expect(newsIn(world)).toMatchObject([
      { news: "start" },
      { news: "block" },
      { news: "end", tone: "good", text: "our label, cordon and taint are taken back" },
    ]);
    expect(noted(world)).toEqual([undefined, undefined]);
  });

  it("do not tell of a cordon that is taken back before there was a drain", async () => {
    const world = aWorld();
    recommend(world);
    await world.work();
    expect(world.told("mark-undone")).toHaveLength(1);
    expect(newsIn(world)).toEqual([]);
  });

  it("end where the node goes in the middle of the drain", async () => {
    const world = blocked(aWorld());
    world.in(seconds(45), () => world.cluster.store.remove({ resource: nodes, name: nodeOf(1) }));
    await drained(world);
    expect(newsIn(world)).toMatchObject([
      { news: "start" },
      { news: "block" },
      { news: "end", tone: "good", text: expect.stringMatching(/^\(no-node, after \d+ s; /) },
    ]);
  });

  it("end once, and say nothing when the notice comes back to clean up", async () => {
    const world = aWorld({ settings: { EVENT_REMOVE_NODE: "stopped" } });
    await drained(world);
    expect(outcomesIn(world).length).toBeGreaterThan(1);
    expect(kindsIn(world)).toEqual(["start", "end"]);
  });

  it("are not there in a dry run, nor without a webhook, where they cost no request", async () => {
    expect(newsIn(await drained(aWorld({ settings: { DRAIN_MODE: "dry-run" } })))).toEqual([]);
    const without = await drained(aWorld({ settings: { DRAIN_NEWS: "" } }));
    expect(newsIn(without)).toEqual([]);
    expect(noted(without)).toEqual([undefined, undefined]);
    const reads = (world: VirtualWorld) =>
      world.cluster.audit.filter(({ objectRef }) => objectRef?.resource === "nodes").length;
    expect(reads(await drained(aWorld()))).toBe(reads(without) + 4);
  });

  it("are told although Events are off", async () => {
    const world = await drained(blocked(aWorld({ settings: { EVENTS: "off" } })));
    expect(kindsIn(world)).toEqual(["start", "block", "end"]);
  });
});

describe("the news of a drain whose node cannot be written", () => {
  const denied = { kind: "cluster-fault", fault: refusal(403, "no"), moment: "before" } as const;
  const isNoted = ({ body }: FunctionRequest) => body.includes(newsAnnotation);

  it("are told by a later pass, and the end all the same", async () => {
    const world = blocked(aWorld());
    const until = later(world.timeline.now(), minutes(2));
    world.faults = (request) => (isNoted(request) && request.at < until ? denied : well);
    await drained(world);
    expect(kindsIn(world)).toEqual(["start", "block", "end"]);
    expect(world.told("warning")).toContainEqual(
      expect.objectContaining({ about: "news of the drain" }),
    );
    expect(Math.min(...newsIn(world).map(({ at }) => at))).toBeGreaterThan(until);
  });

  it("are the end alone where it can never be written, once", async () => {
    const world = aWorld();
    world.faults = (request) => (isNoted(request) ? denied : well);
    await drained(world);
    expect(kindsIn(world)).toEqual(["end"]);
  });

  it("are told late where the API server hangs, and hold up no message for longer than two seconds", async () => {
    const world = aWorld();
    world.faults = (request) =>
      isNoted(request) ? { kind: "cluster-fault", fault: "hang", moment: "before" } : well;
    await drained(world);
    expect(kindsIn(world)).toEqual(["end"]);
    const [done] = world.told("notice-done");
    expect(world.timeline.now() - (done?.at ?? 0)).toBeLessThanOrEqual(seconds(2));
  });
});
