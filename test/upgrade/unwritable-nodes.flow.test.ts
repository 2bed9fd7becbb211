import { describe, expect, it } from "vitest";
import { hours, minutes } from "../../lambda/base/time.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { failing, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { nodeOf } from "../world/world-options.ts";

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
        `failed: PodEvictionFailure: node ${nodeOf(at)} cannot be written`,
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
        warnings: ["keeps the upgrade's annotations and cordon, because its writes fail"],
      }),
    );
  });
});

it("an upgrade that is called off waits for hours where no node can be written, and then opens all", async () => {
  const world = new UpgradeWorld({ size: 3 });
  world.in(minutes(3), () => {
    world.faults = failing(/^patch nodes /, refused);
  });

  world.start();
  world.in(minutes(4), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
  await world.workFor(hours(3));
  expect(world.ended).toBe("not yet");
  world.faults = () => well;
  await world.work();

  expect(world.ended).toBe("aborted");
  expect(world.traces).toEqual([]);
});
