import { PolicyV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { running } from "./ended-at-once.ts";
import { namespace, pod } from "./manifests.ts";
import { placedPods } from "./placed-pods.ts";
import { ProcessFigures } from "./process-figures.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const node = "shared";
const instanceId = "i-00000000000000001";
const replicas = 6;
const patience = { timeout: 600_000, interval: 100 };
const tenant = "aaa-tenant";
// A megabyte each; `TENANT_BUDGETS=200` is what one editor of one namespace has made in an attack.
const { TENANT_BUDGETS = "24" } = process.env;
const words = Array.from({ length: 110_000 }, (_, index) => `w${index.toString(36)}`);

async function makeBudgets({ controlPlane }: RealWorld): Promise<void> {
  const policies = controlPlane.api(PolicyV1Api);
  const selector = { matchExpressions: [{ key: "app", operator: "In", values: words }] };
  for (let made = 1; made <= Number(TENANT_BUDGETS); made += 1)
    await vi.waitFor(
      () =>
        policies
          .createNamespacedPodDisruptionBudget({
            namespace: tenant,
            body: { metadata: { name: `budget-${made}` }, spec: { selector, maxUnavailable: 1 } },
          })
          .catch((cause: unknown) => {
            if (!String(cause).includes("already exists")) throw cause;
          }),
      patience,
    );
}

describe("a tenant with budgets of a megabyte each, on a real control plane", () => {
  const figures = new ProcessFigures();
  let world: RealWorld;
  let began: number;

  beforeAll(async () => {
    world = await startRealWorld({
      nodes: [{ name: node, instanceId, zone: "eu-west-1a" }],
      group: "workers",
    });
    const spec = { nodeName: node, terminationGracePeriodSeconds: 3 };
    await world.controlPlane.apply(
      namespace(tenant),
      ...placedPods({ node, replicas, allowed: replicas }),
      pod({ name: "theirs", namespace: tenant, spec }),
    );
    await makeBudgets(world);
    await vi.waitFor(async () => expect((await running(world)).size).toBe(replicas), patience);
    figures.reset();
    began = Date.now();
    world.terminate(instanceId);
  }, 900_000);
  afterAll(async () => {
    figures.stop();
    await world.stop();
  });

  const evicted = (prefix: string) =>
    world.log.filter((line) => line.includes('"kind":"pod-evicted"') && line.includes(prefix));

  it("does not keep the pods of others on the node, nor its own, and is not read to its end", async ({
    annotate,
  }) => {
    await vi.waitFor(() => expect(evicted(`"default/${node}-`)).toHaveLength(replicas), patience);
    void annotate(`the pods of others are evicted after ${Date.now() - began} ms`);
    const actions = await world.released(instanceId);
    expect(actions).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
    expect(evicted(`"${tenant}/theirs`)).toHaveLength(1);
    const { read, memory } = figures.figures();
    void annotate(`read ${read} MB, memory ${memory} MB`);
    expect(read).toBeLessThan(12);
    expect(memory).toBeLessThan(256);
  }, 900_000);
});
