import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { nodeNow } from "../world/change.ts";
import { endingsIn, outcomesIn, took, writtenIn } from "../world/evidence.ts";
import { awsFailing, type Fault, failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

/** A world whose first instance has registered its node under a name of its own choice. */
function aWorldWithNodeNamed(name: string): VirtualWorld {
  const world = new VirtualWorld();
  world.cluster.removeNode(nodeOf(1));
  const providerID = `aws:///eu-west-1a/${instanceOf(1)}`;
  world.cluster.addNode({ name, providerID });
  world.cluster.addPod({ name: "web", node: name });
  return world;
}

describe("the node of an instance", () => {
  it("that never joined does not exist, so that the drain completes the hook at once", async () => {
    const world = new VirtualWorld();
    world.cluster.removeNode(nodeOf(1));
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBe(0);
    expect(writtenIn(world)).toEqual([]);
    expect(world.told("node-found")).toEqual([]);
  });

  it("that goes before it is marked does not exist either, and nothing more is asked of the cluster", async () => {
    const world = new VirtualWorld();
    const marking = `patch nodes ${nodeOf(1)}`;
    world.faults = ({ what }) => {
      if (what === marking) world.cluster.removeNode(nodeOf(1));
      return well;
    };
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    const asked = world.requests.filter(({ to }) => to === "cluster");
    expect(asked.at(-1)?.what).toBe(marking);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it.each(["gpu-7", `${instanceOf(1)}.eu-west-1.compute.internal`])(
    "is found by its provider ID although its name is %s",
    async (name) => {
      const world = aWorldWithNodeNamed(name);
      await world.drain();
      expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
      expect(world.told("node-found")).toMatchObject([{ node: name, instance: instanceOf(1) }]);
      expect(writtenIn(world)).toEqual([`patch nodes ${name} 200`, "create pods/eviction web 201"]);
    },
  );

  it("is found where EC2 describes no instance, which is a fault that may pass", async () => {
    const world = aWorldWithNodeNamed("gpu-7");
    const fault = { status: 403, code: "UnauthorizedOperation", message: "no" };
    world.faults = awsFailing(/^ec2 DescribeInstances/, fault);
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    const [first] = world.told("fault");
    expect(first).toMatchObject({ code: "aws.denied", retryable: true });
  });

  it("is not a node that has the right name but belongs to another instance", async () => {
    const world = new VirtualWorld();
    world.cluster.removeNode(nodeOf(1));
    const providerID = `aws:///eu-west-1a/${instanceOf(9)}`;
    world.cluster.addNode({ name: nodeOf(1), providerID });
    deploy(world, { name: "web", on: { 1: 1 } });
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expect(namesOn(world, 1)).toEqual(["web-1"]);
    expect(nodeNow(world, 1).spec.unschedulable).toBeUndefined();
  });
});

/** What a proxy or a load balancer says; the API server itself says it in a Status. */
const pageNotFound: KubeFault = { status: 404, body: "404 page not found\n" };

const signIn: KubeFault = { status: 200, body: "<html><title>Sign in</title></html>\n" };

const silences: readonly { readonly name: string; readonly fault: KubeFault }[] = [
  { name: "breaks every connection", fault: "reset" },
  { name: "does not answer", fault: "hang" },
  { name: "has an internal error", fault: refusal(500, "InternalError") },
  { name: "is overloaded", fault: { status: 503, headers: { "retry-after": "1" } } },
  { name: "refuses every token", fault: refusal(401, "Unauthorized") },
  { name: "forbids everything", fault: refusal(403, "nodes is forbidden") },
  { name: "stands behind a proxy that has lost it", fault: pageNotFound },
  { name: "stands behind a proxy that wants people to sign in", fault: signIn },
];

function aBrokenWorld(fault: KubeFault): VirtualWorld {
  const broken: Fault = { kind: "cluster-fault", fault, moment: "before" };
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 1 } });
  world.faults = ({ to }) => (to === "cluster" ? broken : well);
  world.terminate(1);
  return world;
}

it.each(silences)(
  "an API server that $name does not prove that there is no node: the drain holds the instance until it answers",
  async ({ fault }) => {
    const world = aBrokenWorld(fault);
    await world.work(minutes(10));
    expect(outcomesIn(world)).toEqual([]);
    expect(endingsIn(world)).toEqual(["open"]);
    expect(world.told("fault").length).toBeGreaterThanOrEqual(5);
    world.faults = () => well;
    await world.work();
    const late = expect.any(String);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [], late }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(namesOn(world, 1)).toEqual([]);
  },
);

// No answer, one that passes, and one that does not.
it.each(silences.filter(({ name }) => /^does not answer|internal error|token/.test(name)))(
  "an API server that $name does not make the drain hold an instance past the deadline",
  async ({ fault }) => {
    const world = aBrokenWorld(fault);
    await world.work();
    expect(outcomesIn(world)).toEqual([
      { kind: "expired", left: [{ about: "", why: expect.stringMatching(/^cluster\./) }] },
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(took(world)).toBeGreaterThanOrEqual(minutes(15));
    expect(took(world)).toBeLessThanOrEqual(minutes(19));
    expect(namesOn(world, 1)).toEqual(["web-1"]);
  },
);

describe("an EC2 API that does not answer", () => {
  it("does not prove that there is no node: its provider ID finds it, and it is drained", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.faults = awsFailing(/^ec2 DescribeInstances$/, "reset");
    await world.drain(minutes(5));
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(namesOn(world, 1)).toEqual([]);
  });
});

describe("an API server that answers nothing for a while", () => {
  // A pass that fails rests for up to three minutes, whatever the hook's timeout.
  it("does not stop the drain of an instance whose hook waits only a minute for a heartbeat", async () => {
    const world = new VirtualWorld({ heartbeat: minutes(1) });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.faults = failing(/./, "reset");
    world.in(minutes(4), () => {
      world.faults = () => well;
    });
    await world.drain();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
  });
});

describe("a 404 that is not the API server's own", () => {
  it.each([
    ["a mark", "patch nodes"],
    ["an eviction", "create pods/eviction"],
  ])("in answer to %s does not end the drain", async (_, request) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    let left = 2;
    world.faults = ({ what }) => {
      if (!what.startsWith(request) || left === 0) return well;
      left -= 1;
      return { kind: "cluster-fault", fault: pageNotFound, moment: "before" };
    };
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(namesOn(world, 1)).toEqual([]);
    expect(took(world)).toBeLessThan(minutes(1));
  });

  it("in answer to a look at the node midway does not end the drain", async () => {
    const world = new VirtualWorld();
    const annotations = { "hollow/term-seconds": "25" };
    deploy(world, { name: "web", on: { 1: 1 }, annotations });
    let reads = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("get nodes")) return well;
      reads += 1;
      return reads === 2 ? { kind: "cluster-fault", fault: pageNotFound, moment: "before" } : well;
    };
    await world.drain();
    expect(reads).toBe(3);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
  });
});
