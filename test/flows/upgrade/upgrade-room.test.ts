import { describe, expect, it } from "vitest";
import { UpgradeWorld } from "../../world/upgrade-world.ts";
import { deploy } from "../../world/workloads.ts";
import { nodeOf } from "../../world/world-options.ts";

const bound = { nodeSelector: { "kubernetes.io/hostname": nodeOf(1) } };
const refusal =
  /^refused: UnschedulablePods: pods would find no node .*demo\/pinned-1: its replacement finds no place: node selector/;

/** Three nodes, with a pod on the first that no other node takes. */
function aWorldWithout(): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3 });
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  deploy(world, { name: "pinned", on: { 1: 1 }, namespace: "demo", spec: bound });
  return world;
}

describe("an upgrade whose pods would find no node", () => {
  it("is refused with the pods and what is missing, and changes nothing", async () => {
    const world = await aWorldWithout().upgraded();
    expect(world.ended).toMatch(refusal);
    expect(world.group.template).toEqual(world.before.template);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.traces).toEqual([]);
  });

  it("goes on where somebody allows that", async () => {
    const world = await aWorldWithout().upgraded({ ifUnschedulable: "allow" });
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
  });

  it("goes on without a surge, because its pods wait for replacements in any case", async () => {
    const world = await aWorldWithout().upgraded({ strategy: "MINIMAL" });
    expect(world.ended).toBe("done");
  });
});
