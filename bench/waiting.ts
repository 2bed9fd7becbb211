/** What a drain costs that waits for a budget while other objects of its namespace change: `npm run bench -- --parts waiting`. */
import { setTimeout } from "node:timers/promises";
import { AppsV1Api } from "@kubernetes/client-node";
import { deployment, podDisruptionBudget } from "../test/cluster/manifests.ts";
import { ProcessFigures } from "../test/cluster/process-figures.ts";
import type { RealWorld } from "../test/cluster/real-world.ts";
import { bareClient } from "./bare-client.ts";
import { worldOfOneProcess } from "./cluster/world-of-one-process.ts";
import { medians, spreadOf } from "./cold/figures.ts";

const podsOfNode = 10;
const changesInASecond = 50;
const measured = 11;
const windows = 3;
const nodes = Array.from({ length: 12 }, (_, index) => ({
  name: `node-${index + 1}`,
  instanceId: `i-${String(index + 1).padStart(17, "0")}`,
  zone: "eu-west-1a",
}));
const leaving = nodes.slice(0, 11);
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

/** Fills the nodes with pods that a budget holds, and adds ten budgets of nobody. */
async function fill({ controlPlane }: RealWorld): Promise<void> {
  const replicas = leaving.length * podsOfNode;
  await controlPlane.apply(deployment({ name: "web", replicas }));
  await controlPlane.apply(
    podDisruptionBudget({ name: "web", app: "web", allows: { maxUnavailable: 0 } }),
    ...Array.from({ length: 10 }, (_, index) =>
      podDisruptionBudget({ name: `other-${index}`, app: "nobody", allows: { maxUnavailable: 1 } }),
    ),
  );
  const apps = controlPlane.api(AppsV1Api);
  const ready = async () =>
    (await apps.readNamespacedDeployment({ namespace: "default", name: "web" })).status
      ?.readyReplicas;
  while ((await ready()) !== replicas) await setTimeout(500);
}

/** Changes budgets that select no pod of a drain, as often as asked. */
async function churn({ controlPlane }: RealWorld, until: number): Promise<number> {
  const client = bareClient(controlPlane.kubeconfig);
  const sent: Promise<unknown>[] = [];
  for (const began = Date.now(); Date.now() < until; ) {
    const body = { metadata: { annotations: { changed: `${sent.length}` } } };
    sent.push(client.call("PATCH", `${budgets}/other-${sent.length % 10}`, body));
    await setTimeout(Math.max(0, began + (sent.length * 1000) / changesInASecond - Date.now()));
  }
  await Promise.all(sent);
  client.close();
  return sent.length;
}

/** What the process of the function uses while budgets change. */
async function window(world: RealWorld, figures: ProcessFigures) {
  figures.reset();
  const changes = await churn(world, Date.now() + measured * 1000);
  const { cpu, memory, read } = figures.figures();
  const inSecond = { changes: changes / measured, milliCores: (cpu * 1000) / measured };
  return { ...inSecond, readMb: (read * 60) / measured, memoryMb: memory };
}

/** Measures drains in the midst of their first pass, which takes fifty seconds: medians of windows. */
async function measure(world: RealWorld, instances: readonly string[]): Promise<void> {
  for (const id of instances) world.terminate(id);
  await setTimeout(12_000);
  const figures = new ProcessFigures();
  const all: Awaited<ReturnType<typeof window>>[] = [];
  for (let at = 0; at < windows; at += 1) all.push(await window(world, figures));
  figures.stop();
  const { changes, milliCores, readMb, memoryMb } = medians(all);
  const line = {
    drains: instances.length,
    changesPerSecond: Math.round(changes),
    core: Math.round(milliCores) / 1000,
    spread: spreadOf(all.map((one) => Math.round(one.milliCores) / 1000)),
    readMb: Math.round(readMb * 10) / 10,
    memoryMb: Math.round(memoryMb),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const world = await worldOfOneProcess(nodes);
try {
  await fill(world);
  const [first = "", ...others] = leaving.map(({ instanceId }) => instanceId);
  await measure(world, [first]);
  // The pass of the first drain is over by then, so that the next batch begins with all of them.
  await setTimeout(20_000);
  await measure(world, others);
} finally {
  await world.stop();
}
process.exit(0);
