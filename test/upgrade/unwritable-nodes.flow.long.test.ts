import { describe, expect, it } from "vitest";
import { type Duration, hours, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { failing, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { nodeOf } from "../world/world-options.ts";

const olds: readonly string[] = [1, 2, 3].map(nodeOf);

/** A group whose upgrade keeps its old nodes, and is told to go back to them when a node can no longer be written. */
async function goingBack(unwritable: (world: UpgradeWorld) => string): Promise<UpgradeWorld> {
  const world = new UpgradeWorld({ size: 3 });
  world.start({ keepOld: hours(1) });
  while (!/phase=keep/.test(`${world.ownTags["upgrade-progress"]}`))
    await world.workFor(seconds(30));
  world.faults = writes(unwritable(world), refused);
  world.command({ kind: "rollback", id: "aaaaaaaa" });
  await world.workFor(hours(4));
  expect(world.ended).toBe("rolled-back");
  expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
  expect(world.nodes.map(({ metadata }) => metadata.name).toSorted()).toEqual(olds);
  return world;
}

describe("an upgrade that goes back", () => {
  it("leaves an old node as it is that cannot be written, and opens the others", async () => {
    const world = await goingBack(() => nodeOf(2));

    const others = world.traces.filter((trace) => !trace.startsWith(nodeOf(2)));
    expect(others).toEqual([]);
    expect(world.traces).toContain(`${nodeOf(2)} is cordoned`);
    expect(world.told("warning")).toContainEqual(
      expect.objectContaining({ about: `node ${nodeOf(2)}` }),
    );
  });

  it("ends a new node that cannot be written last, and no old one in its place", async () => {
    const named = (world: UpgradeWorld) =>
      world.nodes.map(({ metadata }) => metadata.name).find((name) => !olds.includes(name));
    const world = await goingBack((at) => named(at) ?? "none");

    expect(world.traces).toEqual([]);
  });
});

const refused: KubeFault = { status: 422, body: { reason: "Invalid", message: "over the limit" } };

const writes = (node: string, fault: KubeFault) =>
  failing(new RegExp(`^patch nodes ${node}$`), fault);

describe.each<readonly [string, KubeFault]>([
  ["are refused", refused],
  ["get no answer", "hang"],
])("where the writes of a node %s", (_, fault) => {
  it.each([1, 2])(
    "an upgrade fails, names the node and puts the group back (old node %i)",
    async (at) => {
      const world = new UpgradeWorld({ size: 3 });
      world.faults = writes(nodeOf(at), fault);

      world.start();
      await world.workFor(hours(2));

      expect(world.ended).toContain(
        `failed: PodEvictionFailure: node ${nodeOf(at)} keeps no mark of the upgrade`,
      );
      expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
      expect(world.traces).toEqual([]);
    },
  );

  it("an abort ends, leaves that node alone as it is, and says so", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.in(minutes(3), () => {
      world.faults = writes(nodeOf(2), fault);
    });

    world.start();
    world.in(minutes(4), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await world.workFor(hours(2));

    expect(world.ended).toBe("aborted");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.traces).not.toEqual([]);
    expect(world.traces.filter((trace) => !trace.startsWith(nodeOf(2)))).toEqual([]);
    expect(world.told("warning")).toContainEqual(
      expect.objectContaining({
        about: `node ${nodeOf(2)}`,
        warnings: [
          "keeps the upgrade's annotations and cordon, because its writes fail or are undone",
        ],
      }),
    );
  });
});

describe("a start of an upgrade", () => {
  const begins = (world: UpgradeWorld) =>
    world.requests.filter(
      ({ what, body }) => what.endsWith("CreateOrUpdateTags") && body.includes("upgrade-options"),
    );
  const claimed = (world: UpgradeWorld) =>
    world.requests.flatMap(({ what, body }) => (body.includes("upgrade-claimed") ? [what] : []));

  it("claims the next node once the writes of the first one have failed for ten minutes", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.faults = writes(nodeOf(1), refused);
    const started = world.timeline.now();
    world.start();
    await world.workFor(minutes(20));

    const [first, ...others] = claimed(world).toReversed();
    expect(first).toBe(`patch nodes ${nodeOf(2)}`);
    expect(new Set(others)).toEqual(new Set([`patch nodes ${nodeOf(1)}`]));
    const [begun] = begins(world);
    expect(begun?.at).toBeGreaterThan(later(started, minutes(10)));
    expect(begun?.at).toBeLessThan(later(started, minutes(16)));
  });

  it("waits where no node can be written, for it could claim none, and begins afterwards", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.faults = failing(/^patch nodes /, refused);
    world.start();
    await world.workFor(hours(1));
    expect(begins(world)).toEqual([]);
    world.faults = () => well;
    await world.work();

    expect(begins(world)).toHaveLength(1);
    expect(world.ended).toBe("done");
  });
});

describe("where no node can be written for an hour", () => {
  function noneWritten({ from }: { readonly from: Duration }): UpgradeWorld {
    const world = new UpgradeWorld({ size: 3 });
    world.in(from, () => {
      world.faults = failing(/^patch nodes /, refused);
    });
    return world;
  }

  it("an upgrade waits, and goes on afterwards, though it has tried to write one node alone", async () => {
    const world = noneWritten({ from: minutes(6) });
    world.start({ soak: minutes(1) });
    await world.workFor(minutes(70));
    expect(world.ended).toBe("not yet");
    world.faults = () => well;
    await world.work();

    expect(world.ended).toBe("done");
    expect(world.traces).toEqual([]);
  });

  it("an upgrade that is called off waits for hours where no node can be written, and then opens all", async () => {
    const world = noneWritten({ from: minutes(3) });
    world.start();
    world.in(minutes(4), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await world.workFor(hours(3));
    expect(world.ended).toBe("not yet");
    world.faults = () => well;
    await world.work();

    expect(world.ended).toBe("aborted");
    expect(world.traces).toEqual([]);
  });
});
