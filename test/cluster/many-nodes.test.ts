import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ActionRecord } from "../../sandbox/aws/auto-scaling/lifecycle-action.ts";
import { type AuditEntry, mutatingVerbs } from "./audit-log.ts";
import { deployment } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const victims = 20;
const replicas = 60;
const numbered = (index: number) => ({
  name: `node-${index}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
  zone: `eu-west-1${"abc"[index % 3]}`,
});
const leaving = Array.from({ length: victims }, (_, index) => numbered(index + 1));
const staying = [numbered(victims + 1), numbered(victims + 2)];
const instances = leaving.map(({ instanceId }) => instanceId);

describe("twenty nodes of one group that terminate at once, on a real control plane", () => {
  let world: RealWorld;
  let actions: readonly ActionRecord[];
  let written: readonly AuditEntry[];
  let before: ReadonlySet<string>;

  beforeAll(async () => {
    world = await startRealWorld({ nodes: [...leaving, ...staying], group: "workers" });
    await world.controlPlane.apply(deployment({ name: "web", replicas }));
    await vi.waitFor(async () => expect((await running(world)).size).toBe(replicas), {
      timeout: 120_000,
      interval: 500,
    });
    before = await running(world);
    for (const id of instances) world.terminate(id);
    actions = await world.released(...instances);
    const audit = await world.controlPlane.audit({
      userAgent: "eks-node-lifecycle/",
      verbs: mutatingVerbs,
    });
    written = audit.filter(({ stage, code = 0 }) => stage === "ResponseComplete" && code < 400);
  }, 240_000);
  afterAll(async () => {
    await world.stop();
  });

  it("are all released, each once", () => {
    expect(actions.map(({ end }) => end)).toEqual(
      instances.map(() => expect.objectContaining({ result: "CONTINUE", by: "call" })),
    );
    expect(world.aws.calls.of("CompleteLifecycleAction")).toHaveLength(victims);
  });

  it("are all marked before the first pod is evicted from any of them", () => {
    const firstEviction = written.findIndex(({ subresource }) => subresource === "eviction");
    const marked = written.slice(0, firstEviction).filter(({ resource }) => resource === "nodes");
    expect(new Set(marked.map(({ name }) => name))).toEqual(
      new Set(leaving.map(({ name }) => name)),
    );
  });

  it("have no pod evicted twice, and no replacement that had landed on another leaving node", () => {
    const evicted = written.filter(({ subresource }) => subresource === "eviction");
    const names = evicted.map(({ name }) => name ?? "");
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !before.has(name))).toEqual([]);
  });

  it("leave every pod running on the nodes that stay", async () => {
    await vi.waitFor(
      async () => {
        const { items } = await world.controlPlane
          .api(CoreV1Api)
          .listNamespacedPod({ namespace: "default" });
        const nodes = items
          .filter(({ status }) => status?.phase === "Running")
          .map(({ spec }) => spec?.nodeName);
        expect(nodes).toHaveLength(replicas);
        expect(new Set(nodes)).toEqual(new Set(staying.map(({ name }) => name)));
      },
      { timeout: 60_000, interval: 500 },
    );
  });
});

async function running({ controlPlane }: RealWorld): Promise<ReadonlySet<string>> {
  const { items } = await controlPlane.api(CoreV1Api).listNamespacedPod({ namespace: "default" });
  const up = items.filter(({ status }) => status?.phase === "Running");
  return new Set(up.map(({ metadata }) => metadata?.name ?? ""));
}
