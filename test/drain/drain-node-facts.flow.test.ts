import { describe, expect, it } from "vitest";
import { between, hours, seconds } from "../../lambda/base/time.ts";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { podRemoval } from "../../sandbox/kubernetes/pod-lifecycle.ts";
import { changeNode, cordon, nodeNow } from "../world/change.ts";
import {
  endingsIn,
  evictionsIn,
  outcomesIn,
  took,
  writesIn,
  writtenIn,
} from "../world/evidence.ts";
import { type FaultPlan, well } from "../world/fault-plan.ts";
import { join } from "../world/settle.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const drained = [{ kind: "drained", attached: [], stuck: [] }];
const slow = {
  annotations: { "hollow/term-seconds": "20" },
  spec: { terminationGracePeriodSeconds: 60 },
};

const leftBehind = (name: string) => ({
  about: `default/${name}`,
  why: expect.stringMatching(/^stuck since .*Z, no longer waited for$/),
});

/** Lets something happen just before the node is marked for the first time. */
function beforeItsMark(happens: () => void): FaultPlan {
  let marked = false;
  return ({ what }) => {
    if (what.startsWith("patch nodes") && !marked) {
      marked = true;
      happens();
    }
    return well;
  };
}

describe("a node whose kubelet has fallen silent", () => {
  it("is drained without waiting for it: pods get a grace of one second, and volumes do not count", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(1) });
    world.cluster.stopKubelet(nodeOf(1));
    world.pass(seconds(60));
    await world.drain();
    const stuck = ["data", "web-1", "web-2"].map((name) => leftBehind(name));
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck }]);
    expect(evictionsIn(world)).toHaveLength(3);
    for (const { body } of evictionsIn(world))
      expect(body).toMatchObject({ deleteOptions: { gracePeriodSeconds: 1 } });
    expect(took(world)).toBeLessThanOrEqual(seconds(6));
  });

  it("in the middle of the drain delays it only until the drain is sure", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    world.in(seconds(10), () => world.cluster.stopKubelet(nodeOf(1)));
    await world.drain();
    const stuck = ["web-1", "web-2"].map((name) => leftBehind(name));
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck }]);
    // The kubelet is silent for 40 s from 10 s on, and the drain notices that at its next look;
    // the grace of the pods ended at 60 s.
    expect(took(world)).toBeLessThanOrEqual(seconds(75));
  });
});

describe("a node that reports itself as not ready", () => {
  it("is drained like any other: its pods have their grace, and the drain waits for them", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    world.cluster.reportNode(nodeOf(1), "not-ready");
    world.pass(seconds(10));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    for (const { body } of evictionsIn(world))
      expect(body).not.toHaveProperty("deleteOptions.gracePeriodSeconds");
    expect(evictionsIn(world)).toHaveLength(2);
    expect(took(world)).toBe(seconds(20) + podRemoval);
  });
});

it("the drain calls EC2 once in a pass as long as the node says that it is ready", async () => {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  world.pass(seconds(10));
  await world.drain(seconds(100));
  const asked = world.requests.filter(({ what }) => what === "ec2 DescribeInstances");
  expect(asked).toHaveLength(world.told("pass-started").length);
});

describe("a node that goes", () => {
  it("in the middle of the drain ends it: the drain evicts nothing more and completes the hook", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.in(seconds(12), () => world.cluster.removeNode(nodeOf(1)));
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(evictionsIn(world)).toEqual([]);
    expect(took(world)).toBe(seconds(20));
    expect(world.told("pass-started")).toHaveLength(1);
  });

  it("and comes back as a new node is marked and drained again", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    world.in(seconds(12), () => {
      world.cluster.removeNode(nodeOf(1));
      join(world.cluster, 1);
      world.cluster.addPod({ name: "early", node: nodeOf(1) });
    });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(world.told("node-marked")).toHaveLength(2);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("and comes back just before its mark does not count as gone", async () => {
    const world = new VirtualWorld();
    world.cluster.addPod({ name: "early", node: nodeOf(1) });
    world.faults = beforeItsMark(() => {
      world.cluster.removeNode(nodeOf(1));
      join(world.cluster, 1);
    });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
    expect(namesOn(world, 1)).toEqual([]);
  });
});

it("a node of another instance that takes the name just before the mark is left as it is", async () => {
  const world = new VirtualWorld();
  world.cluster.addPod({ name: "early", node: nodeOf(1) });
  world.faults = beforeItsMark(() => {
    world.cluster.removeNode(nodeOf(1));
    const providerID = `aws:///eu-west-1a/${instanceOf(9)}`;
    world.cluster.addNode({ name: nodeOf(1), providerID });
  });
  await world.drain();
  expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
  expect(nodeNow(world, 1).spec.unschedulable).toBeUndefined();
  expect(evictionsIn(world)).toEqual([]);
});

describe("a node whose instance was terminated without its group", () => {
  const ended = [{ kind: "instance-ended" }];

  function aWorld(): VirtualWorld {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    return world;
  }

  const end = (world: VirtualWorld) => world.aws.ec2.setState(instanceOf(1), "terminated");

  it.each(["not-ready", "unreachable"] as const)(
    "is given up at once where it is %s: the drain only completes the hook, without mark or eviction",
    async (readiness) => {
      const world = aWorld();
      if (readiness === "unreachable") world.cluster.stopKubelet(nodeOf(1));
      else world.cluster.reportNode(nodeOf(1), readiness);
      world.pass(seconds(60));
      world.terminate(1);
      end(world);
      await world.work();
      expect(outcomesIn(world)).toEqual(ended);
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(writesIn(world)).toEqual([]);
    },
  );

  it("is given up where EC2 has forgotten the instance", async () => {
    const world = aWorld();
    world.cluster.stopKubelet(nodeOf(1));
    end(world);
    world.pass(hours(2));
    await world.drain();
    expect(outcomesIn(world)).toEqual(ended);
  });

  it("in the middle of its drain is given up as soon as the drain sees that it is not ready", async () => {
    const world = aWorld();
    world.in(seconds(10), () => {
      end(world);
      world.cluster.reportNode(nodeOf(1), "not-ready");
    });
    await world.drain();
    expect(outcomesIn(world)).toEqual(ended);
    expect(took(world)).toBe(seconds(20));
  });

  it("is drained further while it says that it is ready: EC2 may be wrong", async () => {
    const world = aWorld();
    world.terminate(1);
    end(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "forced" }]);
  });

  it("is drained further while the instance is only about to end", async () => {
    const world = aWorld();
    world.cluster.reportNode(nodeOf(1), "not-ready");
    world.terminate(1);
    world.aws.ec2.setState(instanceOf(1), "shutting-down");
    await world.work();
    expect(outcomesIn(world)).toEqual(drained);
  });

  it("is drained further, with a warning, while EC2 gives no answer in the middle of the drain", async () => {
    const world = aWorld();
    world.terminate(1);
    world.in(seconds(10), () => world.cluster.reportNode(nodeOf(1), "not-ready"));
    const refused = { status: 403, code: "UnauthorizedOperation", message: "no" };
    world.faults = ({ at, what }) =>
      what === "ec2 DescribeInstances" &&
      between(started, at) > seconds(15) &&
      between(started, at) < seconds(45)
        ? { kind: "aws-fault", fault: refused, moment: "before" }
        : well;
    const started = world.timeline.now();
    world.in(seconds(30), () => end(world));
    await world.work();
    expect(outcomesIn(world)).toEqual(ended);
    expect(world.told("fault")).toMatchObject([{ code: "aws.denied" }, { code: "aws.denied" }]);
    expect(took(world)).toBeLessThanOrEqual(seconds(70));
  });
});

describe("a mark that somebody takes away in the middle of the drain", () => {
  const undone: readonly (readonly [string, (node: Node) => Node])[] = [
    ["the cordon", (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } })],
    ["the label", (node) => ({ ...node, metadata: { ...node.metadata, labels: {} } })],
  ];

  it.each(undone)("%s is put back, and pods that came meanwhile are evicted", async (_, undo) => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", ...slow, on: { 1: 2 } });
    world.in(seconds(7), () => {
      changeNode(world, 1, undo);
      world.cluster.addPod({ name: "late", node: nodeOf(1) });
    });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(world.told("node-marked")).toHaveLength(2);
    expect(nodeNow(world, 1).spec.unschedulable).toBe(true);
    expect(nodeNow(world, 1).metadata.labels).toHaveProperty([exclusionLabel]);
    expect(namesOn(world, 1)).toEqual([]);
  });
});

const marks = (world: VirtualWorld) =>
  writesIn(world).filter(({ what }) => what.startsWith("patch nodes"));

describe("the marks of others", () => {
  it("stay: the drain does not claim their cordon", async () => {
    const world = new VirtualWorld();
    cordon(world, 1);
    await world.drain();
    expect(world.told("node-marked")).toEqual([
      expect.objectContaining({ cordoned: "theirs", labelled: "ours" }),
    ]);
    expect(nodeNow(world, 1).metadata.annotations).not.toHaveProperty([
      "eks-node-lifecycle/cordoned",
    ]);
  });

  const taint = { key: "example.com/draining", value: "true", effect: "NoSchedule" };

  it("stay: the drain keeps their taints although others write at the same time", async () => {
    const world = new VirtualWorld({
      settings: { DRAIN_TAINT: "example.com/draining=true:NoSchedule" },
    });
    addTaint(world, "first");
    let writers = 0;
    world.faults = ({ what }) => {
      if (what.startsWith("patch nodes") && writers < 3) {
        writers += 1;
        addTaint(world, `writer-${writers}`);
      }
      return well;
    };
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(marks(world).map(({ what }) => what.split(" ").at(-1))).toEqual([
      "409",
      "409",
      "409",
      "200",
    ]);
    expect(nodeNow(world, 1).spec.taints).toEqual(
      expect.arrayContaining([
        taint,
        ...["first", "writer-1", "writer-2", "writer-3"].map((key) =>
          expect.objectContaining({ key, effect: "PreferNoSchedule" }),
        ),
      ]),
    );
    expect(took(world)).toBeLessThanOrEqual(seconds(8));
  });

  it("only delay ours if they never stop coming", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    let state = "busy";
    world.faults = ({ what }) => {
      if (what.startsWith("patch nodes") && state === "busy") addTaint(world, what);
      return well;
    };
    world.in(seconds(22), () => {
      state = "calm";
    });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(writtenIn(world).at(-1)).toBe("create pods/eviction web-1 201");
    expect(took(world)).toBeLessThanOrEqual(seconds(35));
  });
});

function addTaint(world: VirtualWorld, key: string): void {
  changeNode(world, 1, (node) => {
    const foreign = { key, value: String(world.requests.length), effect: "PreferNoSchedule" };
    const taints = [...(node.spec.taints ?? []).filter((other) => other.key !== key), foreign];
    return { ...node, spec: { ...node.spec, taints } };
  });
}

describe("a pod that does not end", () => {
  it("holds the drain for a minute after its grace, and the outcome names it and what holds it", async () => {
    const world = new VirtualWorld();
    world.cluster.addPod({ name: "held", node: nodeOf(1), finalizers: ["example.com/hold"] });
    deploy(world, { name: "web", on: { 1: 1 } });
    await world.drain();
    expect(outcomesIn(world)).toEqual([
      {
        kind: "drained",
        attached: [],
        stuck: [
          {
            about: "default/held",
            why: expect.stringMatching(
              /^stuck since 2026-11-20T10:00:\S+Z, no longer waited for, finalizers example.com\/hold$/,
            ),
          },
        ],
      },
    ]);
  });

  it("is also named when another pod keeps the node from being empty in time", async () => {
    const world = new VirtualWorld({
      settings: { DRAIN_FORCE: "never", DRAIN_TIMEOUT_SECONDS: "180" },
    });
    world.cluster.addPod({ name: "held", node: nodeOf(1), finalizers: ["example.com/hold"] });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.drain();
    expect(outcomesIn(world)).toEqual([
      {
        kind: "expired",
        left: [
          { about: "default/web-1", why: expect.stringMatching(/^held for/) },
          { about: "default/held", why: expect.stringMatching(/^stuck since/) },
        ],
      },
    ]);
  });
});
