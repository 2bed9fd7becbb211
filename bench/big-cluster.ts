/** Drains nodes of clusters that are full of objects, one node and then ten in one batch: `npm run bench:big -- --help`. */
import { setTimeout } from "node:timers/promises";
import { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { Command } from "commander";
import type { AuditEntry } from "../test/cluster/audit-log.ts";
import { deployment, namespace, podDisruptionBudget } from "../test/cluster/manifests.ts";
import { ProcessFigures } from "../test/cluster/process-figures.ts";
import type { RealWorld } from "../test/cluster/real-world.ts";
import { fillCluster, type Scale } from "./full-cluster.ts";
import { worldOfOneProcess } from "./world-of-one-process.ts";

const numbered = (index: number) => ({
  name: `node-${index}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
  zone: `eu-west-1${"abc"[index % 3]}`,
});
const [first, ...others] = Array.from({ length: 11 }, (_, index) => numbered(index + 1));
const staying = [numbered(21), numbered(22)];
const apps = Array.from({ length: 10 }, (_, index) => `app-${index}`);
const podsOfNode = 30;

const write = (text: string): boolean => process.stdout.write(`${text}\n`);

function scaleOf(text: string): Scale {
  const [nodes = 0, pods = 0, budgets = 0, attachments = 0] = text.split("/").map(Number);
  return { nodes, pods, budgets, attachments };
}

const { scales } = new Command("bench:big")
  .description("Drains nodes of clusters full of objects: one node, then ten in one batch.")
  .option(
    "--scales <list>",
    "nodes/pods/budgets/attachments of each cluster",
    "10/300/30/30,3000/60000/5000/10000",
  )
  .parse()
  .opts<{ scales: string }>();

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

const quick = 500;

/** Waits until the API server has all that is new in its caches, so that it answers quickly for a while. */
async function settled({ controlPlane }: RealWorld): Promise<void> {
  const core = controlPlane.api(CoreV1Api);
  for (let inARow = 0; inARow < 10; ) {
    await setTimeout(2000);
    const began = Date.now();
    const fieldSelector = "spec.nodeName=node-1";
    const answered = await core.listPodForAllNamespaces({ fieldSelector, limit: 500 }).then(
      () => true,
      () => false,
    );
    inARow = answered && Date.now() - began < quick ? inARow + 1 : 0;
  }
}

const secondsBetween = (from: number, to: number): number => Math.round((to - from) / 10) / 100;

/** The requests of the function since a time; a watch has two entries in the log, but counts once. */
async function requestsSince(world: RealWorld, since: number): Promise<readonly AuditEntry[]> {
  const audit = await world.controlPlane.audit({ userAgent: "eks-node-lifecycle/" });
  const began = ({ stage, verb }: AuditEntry) =>
    verb === "watch" ? stage === "ResponseStarted" : stage === "ResponseComplete";
  return audit.filter((entry) => Date.parse(entry.at) >= since && began(entry));
}

interface Batch {
  readonly scale: string;
  readonly world: RealWorld;
  readonly figures: ProcessFigures;
  readonly instances: readonly string[];
}

async function drain({ scale, world, figures, instances }: Batch): Promise<void> {
  figures.reset();
  const began = Date.now();
  for (const id of instances) world.terminate(id);
  await world.released(...instances);
  const done = Date.now();
  const requests = await requestsSince(world, began);
  const timeOf = (isWanted: (entry: AuditEntry) => boolean): number =>
    Date.parse(requests.find((entry) => isWanted(entry))?.at ?? "");
  const marked = timeOf(({ verb, resource }) => verb === "patch" && resource === "nodes");
  const evictions = requests.filter(({ subresource }) => subresource === "eviction");
  const evicted = timeOf(({ subresource }) => subresource === "eviction");
  const { read, memory, cpu } = figures.figures();
  const pods = evictions.filter(({ code }) => code === 201).length;
  write(
    JSON.stringify({
      cluster: scale,
      drains: instances.length,
      pods,
      readMb: Math.round(read * 10) / 10,
      memoryMb: Math.round(memory),
      cpuSeconds: Math.round(cpu * 100) / 100,
      requestsPerPod: Math.round((requests.length / pods) * 100) / 100,
      conflicts: requests.filter(({ code }) => code === 409).length,
      refused: evictions.filter(({ code }) => code === 429).length,
      markAfter: secondsBetween(began, marked),
      firstEvictionAfterMark: secondsBetween(marked, evicted),
      released: secondsBetween(began, done),
    }),
  );
}

async function measure(scale: string): Promise<void> {
  const world = await worldOfOneProcess([first ?? numbered(1), ...others, ...staying]);
  const figures = new ProcessFigures();
  try {
    await fillNodes(world);
    const { hostname, port } = new URL(world.controlPlane.url);
    await fillCluster(`http://${hostname}:${Number(port) + 1}`, scaleOf(scale));
    await settled(world);
    const batch = { scale, world, figures };
    await drain({ ...batch, instances: [numbered(1).instanceId] });
    await drain({ ...batch, instances: others.map(({ instanceId }) => instanceId) });
  } finally {
    figures.stop();
    await world.stop();
  }
}

for (const scale of scales.split(",")) await measure(scale);
