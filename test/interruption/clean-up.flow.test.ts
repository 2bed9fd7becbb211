import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { outOfServiceAnnotation, outOfServiceTaint } from "../../lambda/interruption/left-node.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { changeNode, nodeNow } from "../world/change.ts";
import { changeState, stateChangeOf } from "../world/ec2-events.ts";
import { completionsIn, writtenIn } from "../world/evidence.ts";
import { type Fault, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf, type WorldOptions } from "../world/world-options.ts";

const removing = { EVENT_REMOVE_NODE: "stopped" };

/** A world where nobody but the function removes the nodes of instances that are gone. */
const aWorld = (
  settings: Readonly<Record<string, string>> = {},
  options: WorldOptions = {},
): VirtualWorld =>
  new VirtualWorld({
    cloudController: "never",
    ...options,
    settings: { ...removing, ...settings },
  });

/** The first instance ends without a hook, and leaves its group. */
function end(world: VirtualWorld, state: "stopped" | "terminated" = "terminated"): void {
  const { ec2, autoScaling } = world.aws;
  const { register } = autoScaling;
  ec2.setState(instanceOf(1), state === "stopped" ? "stopping" : "shutting-down");
  ec2.setState(instanceOf(1), state);
  if (state === "terminated")
    register.putInstance({ ...register.findInstance(instanceOf(1)), state: "Terminated" });
  changeState(world, state);
}

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const isThere = (world: VirtualWorld) =>
  world.cluster.store.tryGet({ resource: nodes, name: nodeOf(1) }) !== undefined;
const isEmpty = (world: VirtualWorld) => world.aws.sqs.findQueue("notices").contents().length === 0;
const taints = (world: VirtualWorld) => (nodeNow(world, 1).spec.taints ?? []).map(({ key }) => key);
const removals = (world: VirtualWorld) =>
  writtenIn(world).filter((what) => what.startsWith("delete nodes"));
const refused = (code: number): Fault => ({
  kind: "cluster-fault",
  fault: refusal(code, "no"),
  moment: "before",
});

describe("an instance that is terminated without a hook", () => {
  it("takes its node with it, once the cloud controller had its time", async () => {
    const world = aWorld();
    end(world);
    await world.work(minutes(5));
    expect(isThere(world)).toBe(true);

    await world.work(minutes(10));
    expect(isThere(world)).toBe(false);
    expect(removals(world)).toEqual([`delete nodes ${nodeOf(1)} 200`]);
    expect(outcomes(world)).toEqual([{ kind: "node-removed", node: nodeOf(1) }]);
    expect(isEmpty(world)).toBe(true);
  });

  it("costs no request to the cluster before that, and one list after it, where the cloud controller works", async () => {
    const world = aWorld({}, { cloudController: seconds(50) });
    end(world);
    await world.work();

    expect(outcomes(world)).toEqual([{ kind: "nothing-left" }]);
    expect(removals(world)).toEqual([]);
    const asked = world.requests.filter(({ to }) => to === "cluster");
    expect(asked.map(({ what }) => what)).toEqual([expect.stringMatching(/^list nodes/)]);
    expect(world.told("pass-started")).toHaveLength(2);
  });

  it("keeps its node where a tag of the group or the deployment says so", async () => {
    const tags = { "eks-node-lifecycle/event-remove-node": "never" };
    for (const world of [aWorld({}, { tags }), aWorld({ EVENT_REMOVE_NODE: "never" })]) {
      end(world);
      await world.work();
      expect(isThere(world)).toBe(true);
      expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
    }
  });

  it("cannot be asked for by a tag where the function has no right to it", async () => {
    const tags = { "eks-node-lifecycle/event-remove-node": "terminated" };
    const world = aWorld({ EVENT_REMOVE_NODE: "never" }, { tags });
    end(world);
    await world.work();

    expect(isThere(world)).toBe(true);
    expect(world.told("warning")).toMatchObject([
      { warnings: [expect.stringContaining("gives no right to remove nodes")] },
    ]);
  });

  it("keeps its node in a dry run", async () => {
    const world = aWorld({ DRAIN_MODE: "dry-run" });
    end(world);
    await world.work();

    expect(isThere(world)).toBe(true);
    expect(writtenIn(world)).toEqual([]);
  });

  it("costs two requests of AWS when it was somebody else's, and none of the cluster", async () => {
    const world = aWorld();
    const other = instanceOf(9);
    world.aws.ec2.run({ id: other, zone: "eu-west-1a", privateIp: "10.0.0.9" });
    changeState(world, "terminated", other);
    await world.work();

    expect(world.requests.map(({ what }) => what)).toEqual([
      "autoscaling DescribeAutoScalingInstances",
      "ec2 DescribeInstances",
    ]);
    expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
  });
});

describe("the removal of a node", () => {
  it("never happens while EC2 says that the instance runs, whatever a message says", async () => {
    const world = aWorld();
    world.cluster.stopKubelet(nodeOf(1));
    world.send(stateChangeOf(world, "terminated"));
    await world.work();

    expect(isThere(world)).toBe(true);
    expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
  });

  it("waits while the node says that it is ready, and gives up when EC2 forgets the instance", async () => {
    const world = aWorld({}, { cloudController: "no end" });
    end(world);
    await world.work(minutes(50));
    expect(isThere(world)).toBe(true);

    await world.work();
    expect(isThere(world)).toBe(true);
    expect(isEmpty(world)).toBe(true);
  });

  it.each([
    ["an-impostor", "well"],
    ["an-impostor", "long silent"],
    ["the-impostor", "well"],
    ["the-impostor", "long silent"],
  ])(
    "happens in time though %s, which is %s, has registered with the same provider ID",
    async (name, state) => {
      const world = aWorld();
      const providerID = `aws:///eu-west-1a/${instanceOf(1)}`;
      world.cluster.addNode({ name, providerID });
      if (state === "long silent") world.cluster.stopKubelet(name);
      await world.work(minutes(2));
      end(world);
      world.cluster.resumeKubelet(nodeOf(1));
      world.in(minutes(1), () => world.cluster.stopKubelet(nodeOf(1)));

      await world.work(minutes(7));
      expect(isThere(world)).toBe(false);
      await world.work();
      expect(isEmpty(world)).toBe(true);
    },
  );

  it("spares a node that has taken the name of the one that is gone", async () => {
    const world = aWorld();
    end(world);
    world.in(minutes(4), () => {
      world.cluster.removeNode(nodeOf(1));
      const providerID = `aws:///eu-west-1a/${instanceOf(7)}`;
      world.cluster.addNode({ name: nodeOf(1), providerID });
    });
    await world.work();

    expect(isThere(world)).toBe(true);
    expect(removals(world)).toEqual([]);
    expect(outcomes(world)).toEqual([{ kind: "nothing-left" }]);
  });

  it("gives way to others who write the node, and is done in the end", async () => {
    const world = aWorld();
    let conflicts = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("delete nodes") || conflicts === 2) return well;
      conflicts += 1;
      return refused(409);
    };
    end(world);
    await world.work();

    expect(conflicts).toBe(2);
    expect(isThere(world)).toBe(false);
    expect(outcomes(world)).toEqual([{ kind: "node-removed", node: nodeOf(1) }]);
  });

  it.each(["before", "after"] as const)("is done when the process dies %s it", async (moment) => {
    const world = aWorld();
    let deaths = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("delete nodes") || deaths === 1) return well;
      deaths += 1;
      return { kind: "death", moment };
    };
    end(world);
    await world.work();

    expect(isThere(world)).toBe(false);
    expect(isEmpty(world)).toBe(true);
  });

  it("waits for an API server that does not answer", async () => {
    const world = aWorld();
    const up = world.timeline.now() + minutes(30);
    world.faults = ({ to, at }) => (to === "cluster" && at < up ? refused(503) : well);
    end(world);
    await world.work();

    expect(isThere(world)).toBe(false);
  });

  it("happens once for two notices of the same end", async () => {
    const world = aWorld();
    end(world);
    changeState(world, "terminated");
    await world.work();

    expect(removals(world).filter((what) => what.endsWith(" 200"))).toHaveLength(1);
    expect(world.told("node-removed")).toHaveLength(1);
    expect(isEmpty(world)).toBe(true);
  });
});

describe("an instance that is stopped", () => {
  it("loses its node like one that is terminated, if its group lets it go", async () => {
    const world = aWorld();
    end(world, "stopped");
    await world.work();

    expect(isThere(world)).toBe(false);
  });

  it("keeps its node when it is started again in time", async () => {
    const world = aWorld();
    end(world, "stopped");
    world.in(minutes(3), () => {
      world.aws.ec2.setState(instanceOf(1), "pending");
      world.aws.ec2.setState(instanceOf(1), "running");
      world.cluster.resumeKubelet(nodeOf(1));
    });
    await world.work();

    expect(isThere(world)).toBe(true);
    expect(outcomes(world)).toMatchObject([{ kind: "ignored" }]);
  });
});

describe("the drain of a hook", () => {
  it("comes back once to see that its node is gone, and says so", async () => {
    const world = aWorld({}, { cloudController: seconds(20) });
    deploy(world, { name: "web", on: { 1: 2 } });
    await world.drain();

    expect(outcomes(world)).toEqual([
      { kind: "drained", attached: [], stuck: [] },
      { kind: "nothing-left" },
    ]);
    expect(world.told("pass-started")).toHaveLength(2);
    expect(completionsIn(world)).toBe(1);
    expect(removals(world)).toEqual([]);
    expect(isEmpty(world)).toBe(true);
  });

  it("removes the node that nobody else removes, without any event of EC2", async () => {
    const world = aWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    await world.drain();

    expect(isThere(world)).toBe(false);
    expect(world.told("node-removed")).toMatchObject([
      { node: nodeOf(1), instance: instanceOf(1) },
    ]);
    expect(outcomes(world)).toMatchObject([
      { kind: "drained" },
      { kind: "node-removed", node: nodeOf(1) },
    ]);
    expect(isEmpty(world)).toBe(true);
  });

  it("has an outcome though its group was deleted by force between two passes", async () => {
    const world = aWorld({ EVENTS: "off" });
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain(minutes(2));
    expect(outcomes(world)).toEqual([]);
    end(world);
    await world.work();

    expect(outcomes(world)).toEqual([{ kind: "node-removed", node: nodeOf(1) }]);
    expect(isEmpty(world)).toBe(true);
  });

  it("removes it too when the process dies after the hook was completed", async () => {
    const world = aWorld();
    let deaths = 0;
    world.faults = ({ what }) => {
      if (!what.includes("CompleteLifecycleAction") || deaths === 1) return well;
      deaths += 1;
      return { kind: "death", moment: "after" };
    };
    await world.drain();

    expect(completionsIn(world)).toBe(1);
    expect(isThere(world)).toBe(false);
    expect(isEmpty(world)).toBe(true);
  });

  it("does not come back where no nodes are removed", async () => {
    const world = aWorld({ EVENT_REMOVE_NODE: "never" });
    await world.drain();

    expect(world.told("pass-started")).toHaveLength(1);
    expect(isThere(world)).toBe(true);
  });
});

describe("the removal of a node after a drain of two days", () => {
  it("happens although the notice has been received a thousand times by then", async () => {
    const world = aWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.terminate(1);
    const queue = world.aws.sqs.findQueue("notices");
    const notices = queue.contents();
    queue.purge();
    const attributes = { Receives: { DataType: "Number", StringValue: "1000" } };
    for (const { message } of notices) queue.send({ ...message, attributes });
    await world.work();

    expect(isThere(world)).toBe(false);
  });
});

describe("a node whose instance is gone", () => {
  const tainting = { EVENT_OUT_OF_SERVICE: "taint" };
  /** A world with a pod of a StatefulSet on the first node. */
  function aStatefulWorld(settings: Readonly<Record<string, string>>): VirtualWorld {
    const world = aWorld(settings);
    const node = nodeOf(1);
    world.cluster.addStatefulSet({ name: "db", replicas: 1, pods: [{ name: "db-0", node }] });
    return world;
  }

  it("is out of service at once where that is allowed, so that its stateful pods move", async () => {
    const world = aStatefulWorld(tainting);
    end(world);
    await world.work(minutes(3));

    expect(taints(world)).toContain(outOfServiceTaint.key);
    expect(world.told("out-of-service")).toMatchObject([{ taint: "set" }]);
    expect(namesOn(world, 2)).toEqual(["db-0"]);
    await world.work();
    expect(isThere(world)).toBe(false);
  });

  it("is back in service when its instance is started again, and other taints stay", async () => {
    const world = aStatefulWorld(tainting);
    const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" };
    changeNode(world, 1, (node) => ({ ...node, spec: { ...node.spec, taints: [gpu] } }));
    end(world, "stopped");
    await world.work(minutes(3));
    expect(taints(world)).toContain(outOfServiceTaint.key);

    world.aws.ec2.setState(instanceOf(1), "pending");
    world.aws.ec2.setState(instanceOf(1), "running");
    world.cluster.resumeKubelet(nodeOf(1));
    await world.work(minutes(1));

    expect(taints(world)).toEqual(["gpu"]);
    expect(nodeNow(world, 1).metadata.annotations ?? {}).not.toHaveProperty([
      outOfServiceAnnotation,
    ]);
    expect(world.told("out-of-service").map(({ taint }) => taint)).toEqual(["set", "removed"]);
    await world.work();
    expect(isThere(world)).toBe(true);
    expect(isEmpty(world)).toBe(true);
  });
});
