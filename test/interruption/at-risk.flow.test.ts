import { describe, expect, it } from "vitest";
import { later, minutes, seconds, timestamp } from "../../lambda/base/time.ts";
import { reasonAnnotation } from "../../lambda/drain/cause.ts";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import { nodeNow, uncordon } from "../world/change.ts";
import { interrupt, recommend, recommendationOf } from "../world/ec2-events.ts";
import { completionsIn, writtenIn } from "../world/evidence.ts";
import { type Fault, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { group, instanceOf, nodeOf } from "../world/world-options.ts";

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const cordoned = (world: VirtualWorld) => nodeNow(world, 1).spec.unschedulable ?? false;
const marksOf = (world: VirtualWorld) =>
  Object.keys(nodeNow(world, 1).metadata.annotations ?? {}).filter((key) =>
    key.startsWith("eks-node-lifecycle/"),
  );

/** A world with pods on the first node, whose instance EC2 may take back. */
function aWorldAtRisk(
  settings: Readonly<Record<string, string>> = {},
  tags: Readonly<Record<string, string>> = {},
): VirtualWorld {
  const world = new VirtualWorld({ settings, tags });
  deploy(world, { name: "web", on: { 1: 2 } });
  recommend(world);
  return world;
}

describe("a recommendation to rebalance", () => {
  it("cordons the node, evicts nothing, and leaves it in its load balancers", async () => {
    const world = aWorldAtRisk();
    await world.work(minutes(59));

    expect(cordoned(world)).toBe(true);
    expect(nodeNow(world, 1).metadata.annotations).toMatchObject({ [reasonAnnotation]: "at-risk" });
    expect(nodeNow(world, 1).metadata.labels).not.toHaveProperty([exclusionLabel]);
    expect(namesOn(world, 1)).toHaveLength(2);
    expect(outcomes(world)).toEqual([{ kind: "cordoned", node: nodeOf(1) }]);
  });

  it("is undone after an hour in which nothing happens, and no node stays cordoned for ever", async () => {
    const world = aWorldAtRisk();
    await world.work(minutes(61));

    expect(cordoned(world)).toBe(false);
    expect(marksOf(world)).toEqual([]);
    expect(world.told("mark-undone")).toHaveLength(1);
    expect(outcomes(world)).toHaveLength(1);
    // The first three rests last a minute each, the fourth until the hour is over.
    expect(world.told("pass-started").length).toBeLessThanOrEqual(6);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("is undone after the same hour if it claims to come 59 minutes later", async () => {
    const world = new VirtualWorld();
    world.aws.ec2.buy(instanceOf(1), "spot");
    const time = timestamp(later(world.timeline.now(), minutes(59)));
    world.send({ ...recommendationOf(world), time });
    await world.work(minutes(61));

    expect(cordoned(world)).toBe(false);
    expect(world.told("node-cordoned")).toHaveLength(1);
  });

  it("leaves the node to an interruption that has come meanwhile: one mark, one drain", async () => {
    const world = aWorldAtRisk();
    await world.work(minutes(5));
    interrupt(world);
    await world.work(minutes(70));

    expect(cordoned(world)).toBe(true);
    expect(nodeNow(world, 1).metadata.annotations).toMatchObject({
      [reasonAnnotation]: "interrupted",
    });
    expect(world.told("mark-undone")).toEqual([]);
    expect(outcomes(world).map(({ kind }) => kind)).toEqual(["cordoned", "drained"]);
    expect(new Set(world.told("pod-evicted").map(({ pod }) => pod)).size).toBe(2);
    expect(world.told("pod-evicted")).toHaveLength(2);
  });

  it("leaves the node to the hook of its group, which is completed once", async () => {
    const world = aWorldAtRisk();
    await world.work(minutes(5));
    await world.drain(minutes(70));

    expect(nodeNow(world, 1).metadata.annotations).toMatchObject({
      [reasonAnnotation]: "terminating",
    });
    expect(world.told("mark-undone")).toEqual([]);
    expect(completionsIn(world)).toBe(1);
  });

  it("does not cordon a node again that somebody has uncordoned, and leaves no mark there", async () => {
    const world = aWorldAtRisk();
    await world.work(minutes(5));
    uncordon(world, 1);
    await world.work(minutes(70));

    expect(cordoned(world)).toBe(false);
    expect(marksOf(world)).toEqual([]);
    expect(world.told("node-cordoned")).toHaveLength(1);
  });

  it("drains the node where that is wished, by no force, and opens it again an hour later", async () => {
    const world = aWorldAtRisk({ EVENT_REBALANCE: "drain" });
    await world.work(minutes(30));
    expect(namesOn(world, 1)).toEqual([]);
    expect(cordoned(world)).toBe(true);
    expect(outcomes(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);

    await world.work(minutes(45));
    expect(cordoned(world)).toBe(false);
    expect(nodeNow(world, 1).metadata.labels).not.toHaveProperty([exclusionLabel]);
  });

  it("drains once more, keeps the node closed for longer, and tells both once, when another recommendation has come", async () => {
    const world = aWorldAtRisk({ EVENT_REBALANCE: "drain" });
    await world.work(minutes(40));
    recommend(world);
    await world.work(minutes(50));
    expect(cordoned(world)).toBe(true);
    expect(outcomes(world).map(({ kind }) => kind)).toEqual(["drained", "drained"]);

    await world.work(minutes(20));
    expect(cordoned(world)).toBe(false);
    expect(marksOf(world)).toEqual([]);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("is undone although recommendations are no longer heeded by then", async () => {
    const world = aWorldAtRisk();
    await world.work(minutes(10));
    const { register } = world.aws.autoScaling;
    const tag = { key: "eks-node-lifecycle/event-rebalance", value: "nothing", propagated: false };
    register.put({ ...register.findGroup(group), tags: [tag] });
    recommend(world);
    await world.work(minutes(70));

    expect(cordoned(world)).toBe(false);
    expect(marksOf(world)).toEqual([]);
    expect(outcomes(world).map(({ kind }) => kind)).toEqual(["cordoned", "ignored"]);
  });

  it("does not force a pod that its budget holds, for nobody takes the instance yet", async () => {
    const world = new VirtualWorld({ settings: { EVENT_REBALANCE: "drain" } });
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    recommend(world);
    await world.work(minutes(90));

    expect(namesOn(world, 1)).toHaveLength(2);
    expect(outcomes(world).map(({ kind }) => kind)).toEqual(["expired"]);
    expect(cordoned(world)).toBe(false);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("deregisters the instance from no load balancer, for nobody would register it again", async () => {
    const settings = { EVENT_REBALANCE: "drain", DRAIN_DEREGISTER: "if-nobody-does" };
    const world = aWorldAtRisk(settings);
    const web = world.aws.elb.create({ name: "web", follows: "nobody" });
    web.register(instanceOf(1), 30080, "healthy");
    await world.work();

    expect(namesOn(world, 1)).toEqual([]);
    expect(world.told("targets-deregistered")).toEqual([]);
    expect(marksOf(world)).toEqual([]);
  });

  it("asks for nothing where a tag of the group says so", async () => {
    const world = aWorldAtRisk({}, { "eks-node-lifecycle/event-rebalance": "nothing" });
    await world.work();

    expect(writtenIn(world)).toEqual([]);
    expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
  });

  it("changes nothing in a dry run", async () => {
    const world = aWorldAtRisk({ DRAIN_MODE: "dry-run" });
    await world.work();

    expect(writtenIn(world)).toEqual([]);
  });

  it("does nothing about an instance without a node", async () => {
    const world = new VirtualWorld();
    world.cluster.removeNode(nodeOf(1));
    recommend(world);
    await world.work();

    expect(outcomes(world)).toEqual([{ kind: "no-node" }]);
  });

  it("does nothing about an instance whose group lets it go already", async () => {
    const world = aWorldAtRisk();
    await world.drain();

    expect(world.told("node-cordoned")).toEqual([]);
    expect(completionsIn(world)).toBe(1);
  });

  it("is heeded although others write the node, and although the process dies after the cordon", async () => {
    const world = aWorldAtRisk();
    let patches = 0;
    const troubles: readonly Fault[] = [
      { kind: "cluster-fault", fault: refusal(409, "modified"), moment: "before" },
      { kind: "death", moment: "after" },
    ];
    world.faults = ({ what }) => {
      if (!what.startsWith("patch nodes")) return well;
      patches += 1;
      return troubles[patches - 1] ?? well;
    };
    await world.work(minutes(30));
    expect(cordoned(world)).toBe(true);

    await world.work(minutes(40));
    expect(cordoned(world)).toBe(false);
    expect(marksOf(world)).toEqual([]);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("waits for an API server that does not answer", async () => {
    const world = aWorldAtRisk();
    const up = world.timeline.now() + minutes(10);
    world.faults = ({ to, at }) =>
      to === "cluster" && at < up
        ? { kind: "cluster-fault", fault: refusal(503, "down"), moment: "before" }
        : well;
    await world.work(minutes(20));
    expect(cordoned(world)).toBe(true);
  });

  it("costs one request of Auto Scaling for an instance of somebody else", async () => {
    const world = new VirtualWorld();
    recommend(world, instanceOf(9));
    await world.work(seconds(30));

    expect(world.requests.map(({ what }) => what)).toEqual([
      "autoscaling DescribeAutoScalingInstances",
    ]);
  });
});
