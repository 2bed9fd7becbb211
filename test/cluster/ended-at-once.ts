import { setTimeout } from "node:timers/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
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
  /** When the instances ended. */
  readonly began: number;
  readonly actions: readonly ActionRecord[];
}

/** How many nodes end, and how many pods there are for each of them. */
export interface AtOnce {
  readonly count: number;
  readonly podsOfNode: number;
}

/** Starts so many nodes with so many pods for each, ends them at once, and waits until all are released. */
export async function endedAtOnce({ count, podsOfNode }: AtOnce): Promise<EndedAtOnce> {
  const leaving = Array.from({ length: count }, (_, index) => numbered(index + 1));
  const staying = [numbered(count + 1), numbered(count + 2)];
  const replicas = podsOfNode * count;
  const env = { MAX_PODS: String(Math.max(250, replicas)) };
  const world = await startRealWorld({ nodes: [...leaving, ...staying], group: "workers", env });
  await world.controlPlane.apply(deployment({ name: "web", replicas }));
  while ((await running(world)).size < replicas) await setTimeout(500);
  const before = new Set((await running(world)).keys());
  const instances = leaving.map(({ instanceId }) => instanceId);
  const began = Date.now();
  for (const id of instances) world.terminate(id);
  const actions = await world.released(...instances);
  const names = (nodes: typeof leaving) => nodes.map(({ name }) => name);
  const ended = { world, leaving: names(leaving), staying: names(staying), instances, before };
  return { ...ended, began, actions };
}

/** The pods that run, each with its node. */
export async function running({ controlPlane }: RealWorld): Promise<ReadonlyMap<string, string>> {
  const { items } = await controlPlane.api(CoreV1Api).listNamespacedPod({ namespace: "default" });
  const up = items.filter(({ status }) => status?.phase === "Running");
  return new Map(up.map(({ metadata, spec }) => [metadata?.name ?? "", spec?.nodeName ?? ""]));
}
