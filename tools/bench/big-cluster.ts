/** Drains nodes of clusters that are full of objects, one node and then ten in one batch: `npm run bench:big -- --help`. */
import { setTimeout } from "node:timers/promises";
import { AppsV1Api } from "@kubernetes/client-node";
import { Command } from "commander";
import type { AuditEntry } from "../../test/cluster/audit-log.ts";
import { deployment, namespace, podDisruptionBudget } from "../../test/cluster/manifests.ts";
import { ProcessFigures } from "../../test/cluster/process-figures.ts";
import type { RealWorld } from "../../test/cluster/real-world.ts";
import { requestsSince } from "../../test/cluster/requests-since.ts";
import { attachVolumes } from "./cluster/attached-volumes.ts";
import { fillCluster, type Scale } from "./cluster/full-cluster.ts";
import { settled } from "./cluster/settled.ts";
import { worldOfOneProcess } from "./cluster/world-of-one-process.ts";
import { newChild } from "./cold/child.ts";
import { type CpuShare, within } from "./cold/cpu-share.ts";
import { hundredths } from "./cold/figures.ts";
import { script } from "./contenders.ts";
import { sharesIn } from "./option-values.ts";

const numbered = (index: number) => ({
  name: `node-${index}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
  zone: `eu-west-1${"abc"[index % 3]}`,
});
const alone = numbered(1);
const others = Array.from({ length: 10 }, (_, index) => numbered(index + 2));
const staying = [numbered(21), numbered(22)];
const apps = Array.from({ length: 10 }, (_, index) => `app-${index}`);
const podsOfNode = 30;

const write = (text: string): boolean => process.stdout.write(`${text}\n`);

function scaleOf(text: string): Scale {
  const [nodes = 0, pods = 0, budgets = 0, attachments = 0] = text.split("/").map(Number);
  return { nodes, pods, budgets, attachments };
}

const options = new Command("bench:big")
  .description(
    "Drains nodes of clusters full of objects: one node, then ten in one batch; and, in clusters of their own, ten by bare scripts.",
  )
  .option(
    "--scales <list>",
    "nodes/pods/budgets/attachments of each cluster; the first is the one that the others are compared with",
    (text) => text.split(","),
    ["10/300/30/30", "3000/60000/5000/10000"],
  )
  .option("--shares <shares>", "of a core; less than all takes root", sharesIn, ["all", 0.29])
  .option("--no-scripts", "without the bare scripts")
  .option("--volumes <count>", "attached to each node that drains", Number, 0)
  .option("--detach <seconds>", "how long its volumes take after its last pod", Number, 10)
  .parse()
  .opts<{
    scales: readonly string[];
    shares: readonly (number | "all")[];
    scripts: boolean;
    volumes: number;
    detach: number;
  }>();

/** Puts thirty pods onto each of the nodes that will end, and then opens those that stay. */
async function fillNodes({ controlPlane }: RealWorld): Promise<void> {
  for (const { name } of staying) await controlPlane.kubectlText("cordon", name);
  // As the kubelet of a node of EKS writes it: a storage driver runs there, though no pod has a volume.
  const driver = 'csi.volume.kubernetes.io/nodeid={"ebs.csi.aws.com":"i-0"}';
  await controlPlane.kubectlText("annotate", "nodes", "--all", driver);
  await controlPlane.apply(namespace("bench"));
  const annotations = { "hollow/term-seconds": "1" };
  const replicas = ((others.length + 1) * podsOfNode) / apps.length;
  const base = { namespace: "bench", replicas, annotations };
  await controlPlane.apply(...apps.map((name) => deployment({ ...base, name })));
  const half = { maxUnavailable: "50%" };
  const budgets = apps.map((app) => ({ name: app, namespace: "bench", app, allows: half }));
  await controlPlane.apply(...budgets.map(podDisruptionBudget));
  for (;;) {
    const { items } = await controlPlane
      .api(AppsV1Api)
      .listNamespacedDeployment({ namespace: "bench" });
    if (items.every(({ status }) => status?.readyReplicas === replicas)) break;
    await setTimeout(500);
  }
  for (const { name } of staying) await controlPlane.kubectlText("uncordon", name);
}

const secondsBetween = (from: number, to: number): number => Math.round((to - from) / 10) / 100;

/** A cluster, the share of a core that the function has in it, and the group of processes with that share. */
interface Place {
  readonly scale: string;
  readonly share: number | "all";
  readonly group: CpuShare | undefined;
  readonly world: RealWorld;
  readonly figures: ProcessFigures;
}

/** Ends instances in one batch, and tells what their drains have cost. */
async function drain(place: Place, instances: readonly string[]) {
  const { scale, share, group, world, figures } = place;
  await settled(world);
  figures.reset();
  const began = Date.now();
  for (const id of instances) world.terminate(id);
  await newChild(group);
  await world.released(...instances);
  const released = secondsBetween(began, Date.now());
  const { read, memory, cpu } = figures.figures();
  return {
    cluster: scale,
    share,
    who: "eks-node-lifecycle",
    drains: instances.length,
    readMb: Math.round(read * 10) / 10,
    memoryMb: Math.round(memory),
    cpuSeconds: hundredths(cpu),
    ...requestFigures(await requestsSince(world, began), began),
    released,
  };
}

function requestFigures(requests: readonly AuditEntry[], began: number) {
  const timeOf = (isWanted: (entry: AuditEntry) => boolean): number =>
    Date.parse(requests.find(isWanted)?.at ?? "");
  const marked = timeOf(({ verb, resource }) => verb === "patch" && resource === "nodes");
  const evicted = timeOf(({ subresource }) => subresource === "eviction");
  const evictions = requests.filter(({ subresource }) => subresource === "eviction");
  const pods = evictions.filter(({ code }) => code === 201).length;
  return {
    pods,
    requestsPerPod: hundredths(requests.length / pods),
    conflicts: requests.filter(({ code }) => code === 409).length,
    refused: evictions.filter(({ code }) => code === 429).length,
    markAfter: secondsBetween(began, marked),
    firstEvictionAfterMark: secondsBetween(marked, evicted),
  };
}

const ofFirst = new Map<string, number>();

/** Adds how long the batch took, compared with the same batch in the first cluster. */
function compared<Row extends Readonly<Record<"drains" | "released", number>>>(
  row: Row & Pick<Place, "share"> & { readonly who: string },
) {
  const batch = `${row.who} ${row.share} ${row.drains}`;
  const first = ofFirst.get(batch) ?? row.released;
  ofFirst.set(batch, first);
  return { ...row, ratio: hundredths(row.released / first) };
}

/** Runs in a new cluster of this scale. */
async function inCluster(scale: string, run: (world: RealWorld) => Promise<void>): Promise<void> {
  const world = await worldOfOneProcess([alone, ...others, ...staying]);
  try {
    await fillNodes(world);
    const { hostname, port } = new URL(world.controlPlane.url);
    await fillCluster(`http://${hostname}:${Number(port) + 1}`, scaleOf(scale));
    const nodes = [alone, ...others].map(({ name }) => name);
    const { volumes: count, detach: detachAfter } = options;
    const stop = await attachVolumes(world, { nodes, count, detachAfter });
    await run(world);
    await stop();
  } finally {
    await world.stop();
  }
}

async function measure(place: Omit<Place, "figures" | "world">, world: RealWorld): Promise<void> {
  const figures = new ProcessFigures();
  try {
    for (const batch of [[alone], others]) {
      const instances = batch.map(({ instanceId }) => instanceId);
      write(JSON.stringify(compared(await drain({ ...place, world, figures }, instances))));
    }
  } finally {
    figures.stop();
  }
}

/** Lets one script for each of the ten nodes drain it, all at once. */
async function measureScripts(scale: string, world: RealWorld): Promise<void> {
  for (const node of others) await script.prepare(world, node);
  await settled(world);
  const began = Date.now();
  await Promise.all(others.map((node) => script.drain(world, node)));
  const released = secondsBetween(began, Date.now());
  const figures = {
    cluster: scale,
    share: "all",
    who: script.name,
    drains: others.length,
  } as const;
  write(JSON.stringify(compared({ ...figures, released })));
}

for (const share of options.shares)
  for (const scale of options.scales)
    await within(share, (group) =>
      inCluster(scale, (world) => measure({ scale, share, group }, world)),
    );
if (options.scripts)
  for (const scale of options.scales)
    await inCluster(scale, (world) => measureScripts(scale, world));
