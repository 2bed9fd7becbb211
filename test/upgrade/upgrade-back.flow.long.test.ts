import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { group } from "../world/world-options.ts";

/** Upgrades the group to its first version, which is the older one. */
async function takenBack(world: UpgradeWorld): Promise<void> {
  const to = { kind: "version", version: 1 } as const;
  const start = { kind: "start", id: "1badcafe", to, options: usualOptions } as const;
  world.command(start as UpgradeCommand);
  await world.work();
}

/** A world whose second version has the image of a newer kubelet. */
function newerWorld(): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3 });
  world.aws.records.addImage(world.group.template.imageId, { kubelet: "v1.35.4" });
  world.aws.records.addImage("ami-00000000000000002", { kubelet: "v1.36.2" });
  deploy(world, { name: "web", on: { 1: 2, 2: 1, 3: 1 } });
  return world;
}

const kubeletsIn = (world: UpgradeWorld) =>
  new Set(world.nodes.map(({ status }) => Object(status.nodeInfo).kubeletVersion));

describe("an upgrade to an older version", () => {
  it("takes every node back after an upgrade, and leaves the group as it was", async () => {
    const world = newerWorld();
    await world.upgraded();
    const newer = [world.versions, kubeletsIn(world)];
    await takenBack(world);

    expect(newer).toEqual([["2"], new Set(["v1.36.2"])]);
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["1"]);
    expect(kubeletsIn(world)).toEqual(new Set(["v1.35.4"]));
    expect(world.group.template.version).toBe("1");
    const { min, max, desired } = world.before;
    world.pass(minutes(2));
    expect([world.sizes, world.traces]).toEqual([{ min, max, desired }, []]);
  });

  it("takes back only the nodes that an upgrade has replaced before it was aborted", async () => {
    const world = newerWorld();
    world.start();
    while (world.replaced.length === 0) await world.work(minutes(1));
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.work();
    const kept = world.instances.filter(({ template }) => template.version === "1");
    await takenBack(world);

    expect(kept.length).toBeGreaterThan(0);
    expect(world.versions).toEqual(["1"]);
    expect(world.instances.map(({ id }) => id)).toEqual(
      expect.arrayContaining(kept.map(({ id }) => id)),
    );
  });

  it("goes on where the control plane is older than the nodes that it takes back", async () => {
    const world = newerWorld();
    await world.upgraded();
    for (const { metadata } of world.nodes)
      world.cluster.store.update({ resource: nodes, name: metadata.name }, (node) => ({
        ...node,
        status: {
          ...node.status,
          nodeInfo: { ...node.status.nodeInfo, kubeletVersion: "v1.37.0" },
        },
      }));
    await takenBack(world);

    expect(world.ended).toBe("done");
    expect(kubeletsIn(world)).toEqual(new Set(["v1.35.4"]));
  });

  it("names the number from then on, also where the group named $Latest", async () => {
    const world = newerWorld();
    world.aws.autoScaling.update(group, {
      LaunchTemplate: { LaunchTemplateId: world.group.template.id, Version: "$Latest" },
    });
    await world.upgraded();
    await takenBack(world);

    expect([world.versions, world.group.template.version]).toEqual([["1"], "1"]);
  });
});
