import { describe, expect, it } from "vitest";
import { milliseconds, seconds } from "../../lambda/base/time.ts";
import { changeNode, nodeNow } from "../world/change.ts";
import { completionsIn, endingsIn, evictedIn, evictionsIn, writtenIn } from "../world/evidence.ts";
import { type Fault, failing, well } from "../world/fault-plan.ts";
import { landingsOn } from "../world/landings.ts";
import { nodeReadsIn } from "../world/node-reads.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const count = 20;
const victims = Array.from({ length: count }, (_, index) => index + 1);

/** Twenty nodes to drain and four that stay; each of the twenty runs three pods, two leave last. */
function aWorld(): VirtualWorld {
  const world = new VirtualWorld({ nodes: count + 4 });
  deploy(world, { name: "web", on: Object.fromEntries(victims.map((node) => [node, 3])) });
  deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
  return world;
}

async function drain(world: VirtualWorld): Promise<void> {
  for (const node of victims) world.terminate(node);
  await world.work();
}

/** Delays the API server's answers, so that the drains mix well. */
function delayAnswers(world: VirtualWorld, factor: number): void {
  world.faults = ({ number, to }) =>
    to === "cluster" && factor > 0
      ? {
          kind: "cluster-fault",
          fault: { slow: milliseconds((number * factor) % 400) },
          moment: "before",
        }
      : well;
}

/** The nodes that were already cordoned when the first eviction came. */
function markedBeforeEvictions(world: VirtualWorld): ReadonlySet<string> {
  const written = writtenIn(world);
  const first = written.findIndex((what) => what.startsWith("create pods/eviction"));
  const marks = written.slice(0, first).filter((what) => /^patch nodes \S+ 200$/.test(what));
  return new Set(marks);
}

/** The number of the node that a request is about. */
const victimOf = (request: string): number =>
  Array.from({ length: 100 }, (_, at) => at).findIndex((at) => request.includes(nodeOf(at)));

/** How often a request was sent. */
const sent = (world: VirtualWorld, request: RegExp): number =>
  world.requests.filter(({ what }) => request.test(what)).length;

it("twenty drains of two processes read no nodes but their own and their peers, together, and ask EC2 for the names of the others once each", async () => {
  const world = aWorld();
  await drain(world);
  expect(endingsIn(world)).toHaveLength(count);
  const lists = world.cluster.audit.filter(
    ({ verb, objectRef }) => verb === "list" && objectRef?.resource === "nodes",
  );
  const ofCordoned = lists.filter(({ requestURI }) =>
    requestURI.endsWith("fieldSelector=spec.unschedulable%3Dtrue"),
  );
  expect(ofCordoned).toHaveLength(2);
  // The second process lists the nodes of the first one before these are marked.
  expect(nodeReadsIn(world).map((names) => names.length)).toEqual([10, 10, 10]);
  expect(lists).toHaveLength(2 + 3);
  expect(sent(world, /^ec2 DescribeInstances$/)).toBeLessThanOrEqual(2 * count);
});

// A drain may know its peers before their own drains have found their nodes.
it.each([0, 101])("the drains of one batch mark each node once (delays of %i)", async (factor) => {
  const world = aWorld();
  delayAnswers(world, factor);
  for (const node of victims.slice(0, 10)) world.terminate(node);
  await world.work();
  const marks = writtenIn(world).filter((what) => what.startsWith("patch nodes"));
  expect(marks.toSorted()).toEqual(
    victims
      .slice(0, 10)
      .map((node) => `patch nodes ${nodeOf(node)} 200`)
      .toSorted(),
  );
});

it("a drain evicts its pods although the marks of other nodes hang", async () => {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 2 } });
  world.faults = ({ what }) =>
    what === `get nodes ${nodeOf(2)}`
      ? { kind: "cluster-fault", fault: { slow: seconds(25) }, moment: "before" }
      : well;
  world.terminate(1);
  world.terminate(2);
  await world.work(seconds(4));
  expect(evictedIn(world)).toHaveLength(2);
});

it("a drain marks a peer whose own drain has failed before it could", async () => {
  const world = new VirtualWorld({ nodes: 4 });
  deploy(world, { name: "web", on: { 1: 2 } });
  const own = `get nodes ${nodeOf(2)}`;
  let looks = 0;
  const refused = (status: number): Fault => ({
    kind: "cluster-fault",
    fault: { status },
    moment: "before",
  });
  world.faults = ({ what }) => {
    if (what === own) looks += 1;
    // The first look is the own drain's.
    if (what === own && looks === 1) return refused(404);
    return what.startsWith("list nodes") ? refused(403) : well;
  };
  world.terminate(1);
  world.terminate(2);
  await world.work(seconds(4));
  expect(markedBeforeEvictions(world)).toContain(`patch nodes ${nodeOf(2)} 200`);
});

it("a node that nobody may mark is a fault of its own drain alone, not of those that wait for its mark", async () => {
  const world = new VirtualWorld({ nodes: 4 });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
  world.faults = failing(/^patch nodes ip-10-0-0-2\./, refusal(403, "not this node"));
  for (const one of [1, 2, 3]) world.terminate(one);
  await world.work(seconds(4));
  const faults = world.told("fault");
  expect(new Set(faults.map(({ instance }) => instance))).toEqual(new Set([instanceOf(2)]));
  expect(world.told("warning")).toMatchObject([
    {
      about: `the mark of peer ${instanceOf(2)}`,
      warnings: [expect.stringMatching(/^cluster\.forbidden: marking node ip-10-0-0-2\./)],
    },
  ]);
  expect(
    world
      .told("pod-evicted")
      .map(({ pod }) => pod)
      .toSorted(),
  ).toEqual(["default/web-1", "default/web-3"]);
});

it("a drain reports a fault and goes on when EC2 does not tell the names of its peers", async () => {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 1 } });
  const refused = { status: 403, code: "UnauthorizedOperation", message: "no" };
  // The drain first asks EC2 for its own instance, which works.
  let asked = 0;
  world.faults = ({ what }) => {
    if (what !== "ec2 DescribeInstances") return well;
    asked += 1;
    return asked > 1 ? { kind: "aws-fault", fault: refused, moment: "before" } : well;
  };
  world.terminate(2);
  await world.drop();
  await world.drain();
  expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toEqual(["drained"]);
  expect(world.told("fault").map(({ code }) => code)).toEqual(["aws.denied"]);
});

it("nodes whose marks take long at a busy API server get no pod of each other: evictions wait as long as marks go on", async () => {
  const world = new VirtualWorld({ nodes: 62, batchSize: 1 });
  const leaving = Array.from({ length: 60 }, (_, index) => index + 1);
  // The nodes that stay are fuller, so the scheduler prefers the others.
  deploy(world, { name: "db", on: { 61: 20, 62: 20 } });
  deploy(world, { name: "web", on: Object.fromEntries(leaving.map((node) => [node, 2])) });
  world.faults = failing(/^patch nodes/, { slow: seconds(2) });
  const landed = landingsOn(world, leaving);
  for (const node of leaving) world.terminate(node);
  await world.work();
  expect(landed).toEqual([]);
  expect(evictedIn(world)).toHaveLength(120);
  expect(completionsIn(world)).toBe(60);
});

describe("twenty nodes of a group that terminate at once", () => {
  it.each([37, 211])(
    "are all marked before the first eviction, and no pod is evicted twice (delays of %i)",
    async (factor) => {
      const world = aWorld();
      delayAnswers(world, factor);
      await drain(world);
      expect(markedBeforeEvictions(world)).toEqual(
        new Set(victims.map((node) => `patch nodes ${nodeOf(node)} 200`)),
      );
      // Sixty-two pods: none has landed on another terminating node and been evicted there again.
      expect(new Set(evictedIn(world)).size).toBe(62);
      expect(evictionsIn(world).filter(({ what }) => what.endsWith("201"))).toHaveLength(62);
      expect(victims.flatMap((node) => namesOn(world, node))).toEqual([]);
      expect(new Set(endingsIn(world))).toEqual(new Set(["CONTINUE by call"]));
      expect(completionsIn(world)).toBe(count);
    },
  );

  it("are drained although one of them cannot be marked by the drains of the others", async () => {
    const world = aWorld();
    world.faults = ({ what }) => {
      if (what === `patch nodes ${nodeOf(7)}`)
        changeNode(world, 7, (node) => {
          const annotations = { busy: String(world.requests.length) };
          return { ...node, metadata: { ...node.metadata, annotations } };
        });
      return well;
    };
    world.in(seconds(40), () => {
      world.faults = () => well;
    });
    await drain(world);
    expect(new Set(endingsIn(world))).toEqual(new Set(["CONTINUE by call"]));
    expect(nodeNow(world, 7).spec.unschedulable).toBe(true);
    expect(victims.flatMap((node) => namesOn(world, node))).toEqual([]);
  });

  it("are released one by one: a blocked one does not hold the others", async () => {
    const world = aWorld();
    deploy(world, { name: "db", on: { 9: 1 } });
    world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
    for (const node of victims) world.terminate(node);
    await world.work(seconds(60));
    expect(endingsIn(world).filter((ending) => ending === "open")).toHaveLength(1);
    expect(completionsIn(world)).toBe(count - 1);
    expect(namesOn(world, 9)).toEqual(["db-1"]);
  });
});

it("the drains of a burst read their own nodes once a process, and most peers not at all, where all processes begin together", async () => {
  const world = new VirtualWorld({ nodes: 101 });
  deploy(world, { name: "web", on: { 1: 1 } });
  const burst = Array.from({ length: 100 }, (_, index) => index + 1);
  for (const node of burst) world.terminate(node);
  await world.work();
  const reads = nodeReadsIn(world);
  expect(reads.slice(0, 10).map((names) => names.length)).toEqual(Array(10).fill(10));
  // Each of the ten processes could read the 90 nodes of the others, too.
  expect(reads.flat().length).toBeLessThanOrEqual(350);
  expect(reads.length).toBeLessThanOrEqual(40);
  expect(endingsIn(world)).toHaveLength(100);
});

it("a drain marks its peers though others keep writing to one of them: the rest do not wait for it", async () => {
  const world = new VirtualWorld({ nodes: 66 });
  for (let node = 2; node <= 65; node += 1) {
    world.terminate(node);
    await world.drop();
  }
  world.terminate(1);
  let contended = "";
  world.faults = ({ what }) => {
    if (contended === "" && what.startsWith("patch nodes") && what !== `patch nodes ${nodeOf(1)}`)
      contended = what;
    if (what !== contended) return well;
    const annotations = { busy: String(world.requests.length) };
    const index = victimOf(what);
    changeNode(world, index, (node) => ({ ...node, metadata: { ...node.metadata, annotations } }));
    return well;
  };
  await world.work(seconds(3));
  const isMarked = (node: number) => nodeNow(world, node).spec.unschedulable ?? false;
  const open = Array.from({ length: 65 }, (_, at) => at + 1).filter((node) => !isMarked(node));
  expect(open).toEqual([victimOf(contended)]);
});
