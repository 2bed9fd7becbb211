import { CoreV1Api } from "@kubernetes/client-node";
import { expect, vi } from "vitest";
import type { ActionRecord } from "../../sandbox/aws/auto-scaling/lifecycle-action.ts";
import { deployment } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const numbered = (index: number) => ({
  name: `node-${index}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
  zone: `eu-west-1${"abc"[index % 3]}`,
});

/** Nodes of one group that have ended at once while two others stayed, and the pods of a Deployment on them. */
export interface EndedAtOnce {
  readonly world: RealWorld;
  readonly leaving: readonly string[];
  readonly staying: readonly string[];
  readonly instances: readonly string[];
  /** The pods that ran before, by name. */
  readonly before: ReadonlySet<string>;
  readonly actions: readonly ActionRecord[];
}

/** Starts so many nodes with three pods for each, ends them at once, and waits until all are released. */
export async function endedAtOnce(count: number): Promise<EndedAtOnce> {
  const leaving = Array.from({ length: count }, (_, index) => numbered(index + 1));
  const staying = [numbered(count + 1), numbered(count + 2)];
  const world = await startRealWorld({ nodes: [...leaving, ...staying], group: "workers" });
  const replicas = podsOf(count);
  await world.controlPlane.apply(deployment({ name: "web", replicas }));
  await vi.waitFor(async () => expect((await running(world)).size).toBe(replicas), {
    timeout: 180_000,
    interval: 500,
  });
  const before = new Set((await running(world)).keys());
  const instances = leaving.map(({ instanceId }) => instanceId);
  for (const id of instances) world.terminate(id);
  const actions = await world.released(...instances);
  const names = (nodes: typeof leaving) => nodes.map(({ name }) => name);
  return { world, leaving: names(leaving), staying: names(staying), instances, before, actions };
}

/** Holds that each instance was released once. */
export function expectReleasedOnce({ world, instances, actions }: EndedAtOnce): void {
  expect(actions.map(({ end }) => end)).toEqual(
    instances.map(() => expect.objectContaining({ result: "CONTINUE", by: "call" })),
  );
  expect(world.aws.calls.of("CompleteLifecycleAction")).toHaveLength(instances.length);
}

/** Holds that all pods run again, on the nodes that stay. */
export async function expectPodsStay({ world, staying, leaving }: EndedAtOnce): Promise<void> {
  await vi.waitFor(
    async () => {
      const nodes = [...(await running(world)).values()];
      expect(nodes).toHaveLength(podsOf(leaving.length));
      expect(new Set(nodes)).toEqual(new Set(staying));
    },
    { timeout: 60_000, interval: 500 },
  );
}

const podsOf = (nodes: number): number => 3 * nodes;

/** The pods that run, each with its node. */
async function running({ controlPlane }: RealWorld): Promise<ReadonlyMap<string, string>> {
  const { items } = await controlPlane.api(CoreV1Api).listNamespacedPod({ namespace: "default" });
  const up = items.filter(({ status }) => status?.phase === "Running");
  return new Map(up.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.nodeName ?? ""]));
}
