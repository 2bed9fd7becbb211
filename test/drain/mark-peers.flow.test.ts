import { describe, expect, it } from "vitest";
import { hours, later, milliseconds, minutes, seconds, timestamp } from "../../lambda/base/time.ts";
import { type KubeFault, throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { changeNode, cordon, nodeNow } from "../world/change.ts";
import { evictedIn, writtenIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { nodeReadsIn } from "../world/node-reads.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** One node about to be drained, with so many peers whose own notices never come. */
async function aWorld(peers: number): Promise<VirtualWorld> {
  const world = new VirtualWorld({ nodes: peers + 2 });
  deploy(world, { name: "web", on: { 1: 1 } });
  for (const peer of numbers(2, peers + 1)) {
    world.terminate(peer);
    await world.drop();
  }
  world.terminate(1);
  return world;
}

/** Another process marks nodes at some time. */
function markByOthers(
  world: VirtualWorld,
  nodes: readonly number[],
  { at = world.timeline.now(), reason = "terminating" } = {},
) {
  for (const index of nodes)
    changeNode(world, index, ({ metadata, spec, ...node }) => ({
      ...node,
      metadata: {
        ...metadata,
        labels: {
          ...metadata.labels,
          "node.kubernetes.io/exclude-from-external-load-balancers": "eks-node-lifecycle",
        },
        annotations: {
          ...metadata.annotations,
          "eks-node-lifecycle/cordoned": "true",
          "eks-node-lifecycle/marked-at": timestamp(at),
          "eks-node-lifecycle/reason": reason,
        },
      },
      spec: { ...spec, unschedulable: true },
    }));
}

/** The peers that the drain of the first node has marked before it evicted its pod. */
function markedInTime(world: VirtualWorld): readonly string[] {
  const written = writtenIn(world);
  const first = written.findIndex((what) => what.startsWith("create pods/eviction"));
  return written
    .slice(0, first)
    .filter((what) => what.startsWith("patch nodes") && !what.includes(nodeOf(1)))
    .toSorted();
}

const marksOf = (nodes: readonly number[]): readonly string[] =>
  nodes.map((node) => `patch nodes ${nodeOf(node)} 200`).toSorted();

/** Whether a request lists the cordoned nodes. */
const isList = (what: string): boolean => what === "list nodes";

const listsIn = (world: VirtualWorld) => world.requests.filter(({ what }) => isList(what));

/** The names of the peers that each request has read. */
const readsOfPeers = (world: VirtualWorld) =>
  nodeReadsIn(world).filter((names) => !names.includes(nodeOf(1)));

const isOpen = (world: VirtualWorld, node: number): boolean =>
  nodeNow(world, node).spec.unschedulable !== true;

/** What becomes of some requests. */
function spoil(world: VirtualWorld, requests: RegExp, fault: KubeFault): void {
  world.faults = ({ what }) =>
    requests.test(what) ? { kind: "cluster-fault", fault, moment: "before" } : well;
}

const spoilLists = (world: VirtualWorld, fault: KubeFault): void =>
  spoil(world, /^list nodes$/, fault);

const slow = (answer: number): KubeFault => ({ slow: milliseconds(answer) });

describe("the drain of a node with many peers", () => {
  it("marks them all before it evicts, and asks which are marked already first", async () => {
    const world = await aWorld(12);
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
    expect(listsIn(world).length).toBeGreaterThan(0);
  });

  it("reads none of those that others have marked, and waits for a list that is a little slow", async () => {
    const world = await aWorld(12);
    markByOthers(world, numbers(2, 12));
    spoilLists(world, slow(200));
    await world.work(seconds(4));
    expect(readsOfPeers(world)).toEqual([[nodeOf(13)]]);
    expect(markedInTime(world)).toEqual(marksOf([13]));
  });

  it("renews a mark that is left from an earlier drain", async () => {
    const world = await aWorld(12);
    markByOthers(world, [5], { at: later(world.timeline.now(), hours(-2)) });
    await world.work(seconds(4));
    const { annotations = {} } = nodeNow(world, 5).metadata;
    const { "eks-node-lifecycle/marked-at": marked = "" } = annotations;
    expect(Date.parse(marked)).toBeGreaterThan(world.timeline.now() - hours(1));
  });

  it("tells those that an upgrade has marked and may open that they are to end", async () => {
    const world = await aWorld(12);
    markByOthers(world, numbers(2, 12));
    markByOthers(world, [5], { reason: "upgraded" });
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf([5, 13]));
    expect(nodeNow(world, 5).metadata.annotations).toMatchObject({
      "eks-node-lifecycle/reason": "terminating",
    });
  });

  it("marks those that others have cordoned without a mark", async () => {
    const world = await aWorld(12);
    cordon(world, 5);
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
  });

  it("marks those that are only cordoned because they are at risk", async () => {
    const world = await aWorld(12);
    changeNode(world, 5, ({ metadata, spec, ...node }) => ({
      ...node,
      metadata: {
        ...metadata,
        annotations: {
          ...metadata.annotations,
          "eks-node-lifecycle/cordoned": "true",
          "eks-node-lifecycle/marked-at": timestamp(world.timeline.now()),
          "eks-node-lifecycle/reason": "at-risk",
        },
      },
      spec: { ...spec, unschedulable: true },
    }));
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
  });

  it("marks them all before it evicts also where the list is refused, and reports that", async () => {
    const world = await aWorld(12);
    spoilLists(world, { status: 403 });
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
    expect(world.told("fault")).toMatchObject([{ code: "cluster.forbidden", retryable: true }]);
  });

  it("marks them all before it evicts also where the list hangs", async () => {
    const world = await aWorld(12);
    spoilLists(world, slow(25_000));
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
  });

  it("marks them all before it evicts also where each of their writes takes seconds", async () => {
    const world = await aWorld(12);
    world.faults = ({ what }) =>
      /^patch nodes/.test(what) && !what.includes(nodeOf(1))
        ? { kind: "cluster-fault", fault: slow(3500), moment: "before" }
        : well;
    await world.work(seconds(20));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
  });

  it("goes by a list that comes late for those that it has not read yet", async () => {
    const world = await aWorld(40);
    markByOthers(world, numbers(2, 41));
    world.faults = ({ what }) => {
      if (!what.includes(" nodes")) return well;
      return { kind: "cluster-fault", fault: slow(isList(what) ? 300 : 200), moment: "before" };
    };
    await world.work(seconds(4));
    expect(readsOfPeers(world).flat()).toHaveLength(30);
  });

  it.each([
    [30, "alone", []],
    [10, "while others mark some", [41]],
  ])("reads %i of them at once %s", async (atOnce, _, theirs) => {
    const world = await aWorld(40);
    markByOthers(world, theirs);
    spoil(world, /^list nodes by label$/, slow(200));
    await world.work(seconds(4));
    const reads = readsOfPeers(world);
    expect(reads[0]).toHaveLength(atOnce);
    expect(new Set(reads.flat()).size).toBe(40 - theirs.length);
  });

  it.each([
    ["is refused", { status: 403 }],
    ["hangs", slow(25_000)],
    ["is slower than a moment", slow(800)],
  ] as const)(
    "marks them all before it evicts also where the list of their nodes %s",
    async (_, fault) => {
      const world = await aWorld(12);
      spoil(world, /^list nodes by label$/, fault);
      await world.work(seconds(4));
      expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
    },
  );

  it("sends a list of their nodes again that is throttled, and reads none by itself", async () => {
    const world = await aWorld(12);
    let lists = 0;
    world.faults = ({ what }) => {
      if (what !== "list nodes by label") return well;
      lists += 1;
      return lists === 1 ? { kind: "cluster-fault", fault: throttled(1), moment: "before" } : well;
    };
    await world.work(seconds(4));
    expect(readsOfPeers(world).map((names) => names.length)).toEqual([12, 12]);
    expect(numbers(2, 13).filter((node) => isOpen(world, node))).toEqual([]);
  });

  it("reads their nodes by themselves at once where the list of them fails otherwise", async () => {
    const world = await aWorld(12);
    spoil(world, /^list nodes by label$/, { status: 503 });
    await world.work(seconds(4));
    expect(world.requests.filter(({ what }) => what === "list nodes by label")).toHaveLength(1);
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 13)));
  });

  it("lists the cordoned nodes once for ten marks, beside the first look", async () => {
    const world = await aWorld(40);
    await world.work(seconds(4));
    expect(markedInTime(world)).toEqual(marksOf(numbers(2, 41)));
    expect(listsIn(world).length).toBeLessThanOrEqual(1 + 4);
  });

  it("looks again after ten marks", async () => {
    const world = await aWorld(40);
    markByOthers(world, [41]);
    let marks = 0;
    world.faults = ({ what }) => {
      if (what.startsWith("patch nodes")) marks += 1;
      // The first is that of its own node.
      if (marks === 5)
        markByOthers(
          world,
          numbers(2, 41).filter((node) => isOpen(world, node)),
        );
      return well;
    };
    await world.work(seconds(4));
    expect(readsOfPeers(world).flat().length).toBeLessThan(30);
  });
});

it.each([
  [5, 0],
  [6, 1],
])("the drain of a node with %i peers lists the cordoned nodes %i times", async (peers, lists) => {
  const world = await aWorld(peers);
  await world.work(seconds(4));
  expect(markedInTime(world)).toEqual(marksOf(numbers(2, peers + 1)));
  expect(listsIn(world)).toHaveLength(lists);
});

it("a drain marks a peer in its next pass if the mark has failed, however soon that pass comes", async () => {
  const world = await aWorld(1);
  world.faults = ({ what, number }) => {
    if (what !== `get nodes ${nodeOf(2)}` && what !== "list pods") return well;
    const fault = { status: 409 };
    return number < 30 ? { kind: "cluster-fault", fault, moment: "before" } : well;
  };
  await world.work(minutes(1));
  expect(world.told("warning").map(({ about }) => about)).toContain(
    `the mark of peer ${instanceOf(2)}`,
  );
  expect(evictedIn(world)).toHaveLength(1);
  expect(markedInTime(world)).toEqual(marksOf([2]));
});
