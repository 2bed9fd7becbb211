import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { deadlineAnnotation } from "../../lambda/drain/cause.ts";
import type { Reason } from "../../lambda/drain/reason.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { changeNode, nodeNow } from "../world/change.ts";
import { changeState, interrupt } from "../world/ec2-events.ts";
import { deletionsIn, took } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

/** What the mark of a node says of its reason, and how many seconds after the begin its deadline is. */
function causeOn(world: VirtualWorld, index: number) {
  const { annotations = {} } = nodeNow(world, index).metadata;
  const {
    "eks-node-lifecycle/reason": reason,
    "eks-node-lifecycle/deadline": deadline = "",
    "eks-node-lifecycle/marked-at": marked = "",
  } = annotations;
  return { reason, after: (Date.parse(deadline) - Date.parse(marked)) / 1000 };
}

/** Another notice writes its reason and deadline onto the node. */
const write = (world: VirtualWorld, reason: Reason, after: Duration): void =>
  changeNode(world, 1, ({ metadata, ...node }) => ({
    ...node,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        "eks-node-lifecycle/reason": reason,
        "eks-node-lifecycle/deadline": timestamp(later(world.timeline.now(), after)),
      },
    },
  }));

function aBlockedWorld(settings: Readonly<Record<string, string>> = {}): VirtualWorld {
  const world = new VirtualWorld({ settings });
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

describe("the mark of a node", () => {
  it("says why it is set, and until when the node has to be drained", async () => {
    const world = aBlockedWorld();
    await world.drain(seconds(10));
    const { reason, after } = causeOn(world, 1);
    expect(reason).toBe("terminating");
    expect(Math.round(after)).toBe(900);
    const deadline = "2026-11-20T10:15:00.000Z";
    expect(world.told("node-marked")).toMatchObject([{ reason, deadline }]);
  });

  it("gets the deadline of its own drain where a peer has set it without one", async () => {
    const world = aBlockedWorld();
    await world.drain(minutes(3));
    world.terminate(2);
    await world.work(seconds(30));
    expect(causeOn(world, 2)).toMatchObject({ reason: "terminating" });
    expect(Math.round(causeOn(world, 2).after)).toBe(900);
    expect(Math.round(causeOn(world, 1).after)).toBe(900);
  });

  it("with a nearer deadline of another notice ends the drain by then, also in the middle of a pass", async () => {
    const world = aBlockedWorld();
    const begun = world.timeline.now();
    world.in(seconds(10), () => write(world, "interrupted", seconds(95)));
    await world.drain();
    expect(between(begun, deletionsIn(world)[0]?.at ?? begun)).toBe(seconds(75) + 1);
    expect(causeOn(world, 1).reason).toBe("interrupted");
  });

  it("ends it by then even where nothing is forced, and nobody rests beyond", async () => {
    const world = aBlockedWorld({ DRAIN_FORCE: "never" });
    world.in(seconds(100), () => write(world, "maintenance", minutes(4)));
    await world.drain();
    expect(world.told("notice-done")).toMatchObject([{ outcome: { kind: "expired" } }]);
    expect(took(world)).toBe(seconds(100) + minutes(4));
  });

  it("does not get a later deadline, and loses none", async () => {
    const world = aBlockedWorld();
    world.in(seconds(10), () => write(world, "maintenance", minutes(60)));
    await world.drain(seconds(50));
    expect(world.told("mark-tightened")).toEqual([]);
    await world.work();
    expect(took(world)).toBeLessThanOrEqual(minutes(15));
  });

  it("does not count with a deadline that had passed before the drain began", async () => {
    const world = aBlockedWorld();
    world.terminate(1);
    const begun = world.timeline.now();
    await world.work(seconds(5));
    write(world, "interrupted", seconds(-60));
    await world.work();
    expect(between(begun, deletionsIn(world)[0]?.at ?? begun)).toBe(minutes(14.5) + 1);
  });
});

/** A notice about the node, in seconds: when it is sent, and how long the queue keeps it back. */
interface Sent {
  readonly what: "hook" | "spot" | "stop";
  readonly at: number;
  readonly late: number;
}

const tell: Readonly<Record<Sent["what"], (world: VirtualWorld) => void>> = {
  hook: (world) => world.terminate(1),
  spot: (world) => interrupt(world),
  stop: (world) => changeState(world, "shutting-down"),
};

/** The deadlines that the node's mark gets one after the other, in seconds from the begin, while a pod does not end. */
async function deadlinesOf(sent: readonly Sent[], timeout: number): Promise<readonly number[]> {
  const settings = { DRAIN_TIMEOUT_SECONDS: `${timeout}` };
  const world = new VirtualWorld({ settings, batchSize: 1 });
  const annotations = { "hollow/term-seconds": "never" };
  deploy(world, { name: "web", annotations, spec: longGrace, on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  const begun = world.timeline.now();
  const deadlines: number[] = [];
  world.cluster.store.subscribe(({ resource, after }) => {
    if (resource !== nodes || after?.metadata.name !== nodeOf(1)) return;
    const deadline = Date.parse(after.metadata.annotations?.[deadlineAnnotation] ?? "");
    const next = Math.round((deadline - begun) / 1000);
    if (!Number.isNaN(next) && deadlines.at(-1) !== next) deadlines.push(next);
  });
  for (const { what, at, late } of sent)
    world.in(seconds(at), () => {
      tell[what](world);
      if (late > 0) world.withhold(seconds(late));
    });
  await world.workFor(minutes(30));
  return deadlines;
}

const longGrace = { terminationGracePeriodSeconds: 600 };

describe("the mark of a node of which several notices tell", () => {
  it.each<[string, readonly Sent[], number, readonly number[]]>([
    [
      "a hook's, as late as its deadline, beside an end by hand",
      [
        { what: "hook", at: 1, late: 130 },
        { what: "stop", at: 110, late: 0 },
      ],
      60,
      [170, 61],
    ],
    [
      "one of two interruptions that was kept back",
      [
        { what: "spot", at: 14, late: 110 },
        { what: "spot", at: 121, late: 0 },
      ],
      900,
      [226, 119],
    ],
    [
      "a hook's, and an interruption that had passed by then",
      [
        { what: "spot", at: 0, late: 110 },
        { what: "hook", at: 106, late: 0 },
      ],
      900,
      [1006, 105],
    ],
  ])("keeps the nearer deadline of %s", async (_, sent, timeout, expected) => {
    expect(await deadlinesOf(sent, timeout)).toEqual(expected);
  });

  it("gets a later deadline at most once from each of them", async () => {
    const some = fc.record<Sent>({
      what: fc.constantFrom("spot", "stop"),
      at: fc.integer({ min: 0, max: 150 }),
      late: fc.constantFrom(0, 0, 20, 70, 110, 130),
    });
    const hook = some.map((one): Sent => ({ ...one, what: "hook" }));
    const all = fc.tuple(hook, some, some);
    const holds = fc.asyncProperty(all, fc.constantFrom(60, 300, 900), async (sent, timeout) => {
      const deadlines = await deadlinesOf(sent, timeout);
      const raised = deadlines.filter((one, at) => one > (deadlines[at - 1] ?? one));
      expect(raised.length).toBeLessThan(sent.length);
    });
    await fc.assert(holds, { numRuns: 50 });
  });
});
