import type { V1Node } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { running } from "./ended-at-once.ts";
import { grantedTo, placedPods } from "./placed-pods.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { eventOf, publishEvent, tellEvent } from "./told-events.ts";

const names = ["reclaimed", "bought", "in-block", "beside-it"] as const;
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [reclaimed = "", bought = "", inBlock = ""] = nodes.map(({ instanceId }) => instanceId);
const reservation = "cr-0123456789abcdef0";
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
    expect(ended(bought).join()).toContain(
      "in no interruptible Capacity Reservation and no Capacity Block",
    );
    expect(await grantedTo(world, "reclaimed")).toHaveLength(replicas);
    expect(await textOf("reclaimed")).toContain('"eks-node-lifecycle/reason": "interrupted"');
    expect(await grantedTo(world, "bought")).toEqual([]);
    expect(await textOf("bought")).not.toMatch(/unschedulable|eks-node-lifecycle/);
  }, 120_000);

  it("are drained until EC2 ends them when their Capacity Block ends, and others of the group stay", async () => {
    const { ec2 } = world.aws;
    const block = { type: "capacity-block", state: "active", instanceType: "p5.48xlarge" } as const;
    ec2.reserve({ ...block, id: reservation, endsIn: minutes(40) });
    ec2.enterBlock(inBlock, reservation);
    const begun = Date.now();
    publishEvent(world, {
      version: "0",
      id: "8a7c1f3e-2b54-4d19-9c0e-5d6f7a8b9c01",
      "detail-type": "Capacity Block Expiration Warning",
      source: "aws.ec2",
      account: "123456789012",
      time: new Date(begun).toISOString(),
      region: "eu-west-1",
      resources: [`arn:aws:ec2:eu-west-1:123456789012:capacity-reservation/${reservation}`],
      detail: { "capacity-reservation-id": reservation, "end-date": "2030-01-01T00:00:00Z" },
    });
    const ended = (title: string) =>
      world.log.filter((line) => line.includes('"notice-done"') && line.includes(title));
    await vi.waitFor(() => expect(ended(`block-expiring ${inBlock}`)).toHaveLength(1), patience);
    expect(ended(`block-expiring ${inBlock}`).join()).toContain('"kind":"drained"');
    await expect
      .poll(() => ended(`block-expiring ${reservation}`).join(), patience)
      .toContain(`"instances":["${inBlock}"]`);
    expect(await grantedTo(world, "in-block")).toHaveLength(replicas);
    const { metadata } = JSON.parse(await textOf("in-block")) as V1Node;
    expect(metadata?.annotations).toMatchObject({ "eks-node-lifecycle/reason": "block-expiring" });
    const deadline = Date.parse(metadata?.annotations?.["eks-node-lifecycle/deadline"] ?? "");
    expect(Math.abs(deadline - begun - minutes(10))).toBeLessThan(seconds(5));
    expect(await grantedTo(world, "beside-it")).toEqual([]);
    expect(await textOf("beside-it")).not.toMatch(/unschedulable|eks-node-lifecycle/);
  }, 120_000);
});
