import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { running } from "./ended-at-once.ts";
import { grantedTo, placedPods } from "./placed-pods.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { eventOf, publishEvent, tellEvent } from "./told-events.ts";

const names = ["reclaimed", "bought"] as const;
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [reclaimed = "", bought = ""] = nodes.map(({ instanceId }) => instanceId);
const patience = { timeout: 90_000, interval: 200 };
const replicas = 3;

describe("instances in Capacity Reservations, on a real control plane", () => {
  let world: RealWorld;

  beforeAll(async () => {
    const mapping = { batchSize: 1, window: seconds(0), maximumConcurrency: 4 } as const;
    world = await startRealWorld({
      nodes,
      group: "workers",
      mapping: { ...mapping, responses: "report-batch-item-failures" },
    });
    for (const node of names)
      await applyAdopted(world.controlPlane, ...placedPods({ node, replicas, allowed: replicas }));
    const all = names.length * replicas;
    await vi.waitFor(async () => expect((await running(world)).size).toBe(all), patience);
  }, 120_000);
  afterAll(async () => world.stop());

  const textOf = (node: string) =>
    world.controlPlane.kubectlText("get", "node", node, "-o", "json");

  it("are drained when EC2 takes the capacity back, and no others", async () => {
    publishEvent(world, eventOf(world, "reclaim", { instance: bought }));
    tellEvent(world, "reclaim", { instance: reclaimed });
    const ended = (instance: string) =>
      world.log.filter(
        (line) => line.includes('"notice-done"') && line.includes(`interrupted ${instance}`),
      );
    await vi.waitFor(() => expect(ended(reclaimed)).toHaveLength(1), patience);
    await vi.waitFor(() => expect(ended(bought)).toHaveLength(1), patience);
    expect(ended(reclaimed).join()).toContain('"kind":"drained"');
    expect(ended(bought).join()).toContain("in no interruptible Capacity Reservation");
    expect(await grantedTo(world, "reclaimed")).toHaveLength(replicas);
    expect(await textOf("reclaimed")).toContain('"eks-node-lifecycle/reason": "interrupted"');
    expect(await grantedTo(world, "bought")).toEqual([]);
    expect(await textOf("bought")).not.toMatch(/unschedulable|eks-node-lifecycle/);
  }, 120_000);
});
