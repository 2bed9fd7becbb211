import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { running } from "./ended-at-once.ts";
import { grantedTo, placedPods } from "./placed-pods.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { tellEvent } from "./told-events.ts";

const node = (name: string, index: number) => ({
  name,
  instanceId: `i-0000000000000000${index}`,
  zone: "eu-west-1a",
});
const [held, free, spot, told, stays] = ["held", "free", "spot", "told", "stays"].map(node);
const hurried = [held, free, spot].flatMap((one) => one ?? []);
const usual = [told, stays].flatMap((one) => one ?? []);
const idOf = (one: typeof held): string => one?.instanceId ?? "";
const patience = { timeout: 120_000, interval: 500 };

// Its messages wait longer than the drains of the hurried group have.
const mapping = {
  batchSize: 10,
  window: seconds(40),
  maximumConcurrency: 1,
  responses: "report-batch-item-failures",
} as const;

describe("a function that gets its messages 40 s late, in one batch, on a real control plane", () => {
  let world: RealWorld;
  let takenAt: number;

  beforeAll(async () => {
    const tags = { "eks-node-lifecycle/drain-timeout-seconds": "30" };
    const groups = [{ name: "hurried", nodes: hurried, tags }];
    world = await startRealWorld({ nodes: usual, group: "workers", groups, mapping });
    await world.controlPlane.apply(
      ...placedPods({ node: "held", replicas: 2, allowed: 0, grace: 300 }),
      ...placedPods({ node: "free", replicas: 3, allowed: 3 }),
      ...placedPods({ node: "spot", replicas: 3, allowed: 3, grace: 90 }),
      ...placedPods({ node: "told", replicas: 8, allowed: 8 }),
    );
    await vi.waitFor(async () => expect((await running(world)).size).toBe(16), patience);
    // A batch of its own, whose 40 s begin with its first message.
    const tested = (group: string) => world.log.some((line) => line.includes(`test of ${group}`));
    await vi.waitFor(() => expect(["hurried", "workers"].filter(tested)).toHaveLength(2), patience);
    takenAt = Date.now() - seconds(66) + minutes(2);
    tellEvent(world, "interruption", { instance: idOf(spot), ago: seconds(66) });
    for (const one of [held, free, told]) world.terminate(idOf(one));
    const own = { instance: idOf(told), group: "workers" };
    for (const event of ["hold", "interruption", "rebalance"] as const)
      tellEvent(world, event, own);
    await world.released(...[held, free, told].map(idOf));
    await vi.waitFor(() => expect(outcomesOf(idOf(spot))).toHaveLength(1), patience);
  }, 300_000);
  afterAll(async () => world.stop());

  const outcomesOf = (instance: string) =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry) => entry.instance === instance)
      .flatMap((entry) => (entry.kind === "notice-done" ? [entry.outcome] : []));

  it("evicts the pods of an instance that its hook still holds, and says that it was late", async () => {
    expect(await grantedTo(world, "free")).toMatchObject(
      Array(3).fill({ verb: "evict", grace: "own" }),
    );
    expect(outcomesOf(idOf(free))).toMatchObject([{ kind: "drained", late: expect.any(String) }]);
  });

  it("lets an instance go whose pods a budget holds once its time anew is over, and says that it was late", async () => {
    expect(await grantedTo(world, "held")).toEqual([]);
    expect(outcomesOf(idOf(held))).toMatchObject([{ kind: "expired", late: expect.any(String) }]);
  });

  it("evicts the pods of a Spot instance 106 s after its notice, with the grace that its machine has", async () => {
    const requests = await grantedTo(world, "spot");
    expect(requests.map(({ verb }) => verb)).toEqual(["evict", "evict", "evict"]);
    for (const { at, grace } of requests) {
      expect(at).toBeGreaterThan(takenAt - seconds(14));
      expect(Number(grace)).toBeLessThanOrEqual(12);
    }
    // A kubelet on a busy machine may need more than these seconds.
    const kind = expect.stringMatching(/^(?:forced|expired)$/);
    expect(outcomesOf(idOf(spot))).toMatchObject([{ kind, late: expect.any(String) }]);
  });

  it("evicts each pod of a node once of which a hook, its event, a Spot interruption and a rebalance tell", async () => {
    const uids = (await grantedTo(world, "told")).map(({ uid }) => uid);
    expect(uids).toHaveLength(8);
    expect(new Set(uids).size).toBe(8);
    expect(
      world.aws.autoScaling.actions().filter(({ instanceId }) => instanceId === idOf(told)),
    ).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
  });
});
