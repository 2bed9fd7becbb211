import { setTimeout } from "node:timers/promises";
import { AppsV1Api, CoreV1Api, PolicyV1Api } from "@kubernetes/client-node";
import { deployment, namespace, podDisruptionBudget } from "../../test/cluster/manifests.ts";
import type { RealWorld } from "../../test/cluster/real-world.ts";

/** The pods that fill a node. */
export interface Load {
  readonly pods: number;
  /** The seconds that a pod takes to end. */
  readonly ends: number;
  readonly budget: "none" | "10%";
  /** The share of a core that the program that drains has. */
  readonly share: number | "all";
}

const space = "bench";
const apps = Array.from({ length: 10 }, (_, index) => `app-${index}`);

/** Puts ten Deployments onto one node, each with its budget if there are budgets. */
export async function fill({ controlPlane }: RealWorld, node: string, load: Load): Promise<void> {
  const { pods, ends, budget } = load;
  const others = (await nodeNames(controlPlane)).filter((name) => name !== node);
  for (const other of others) await controlPlane.kubectlText("cordon", other);
  await controlPlane.apply(namespace(space));
  const annotations = { "hollow/term-seconds": String(ends) };
  const replicas = pods / apps.length;
  const base = { namespace: space, replicas, annotations };
  await controlPlane.apply(...apps.map((name) => deployment({ ...base, name })));
  if (budget !== "none")
    await controlPlane.apply(
      ...apps.map((app) =>
        podDisruptionBudget({
          name: app,
          namespace: space,
          app,
          allows: { maxUnavailable: budget },
        }),
      ),
    );
  await until(async () => (await ready(controlPlane)) === pods);
  if (budget !== "none") await until(async () => (await allowing(controlPlane)) === apps.length);
  for (const other of others) await controlPlane.kubectlText("uncordon", other);
}

/** Removes everything again, also the marks on the node. */
export async function clear({ controlPlane }: RealWorld, node: string): Promise<void> {
  await controlPlane.kubectlText("delete", "namespace", space, "--wait=false");
  await controlPlane.kubectlText("uncordon", node);
  const exclusion = "node.kubernetes.io/exclude-from-external-load-balancers-";
  await controlPlane.kubectlText("label", "node", node, exclusion);
  const marks = [
    "marked-at-",
    "cordoned-",
    "emptied-at-",
    "awaited-volumes-",
    "reason-",
    "deadline-",
  ];
  await controlPlane.kubectlText(
    "annotate",
    "node",
    node,
    ...marks.map((mark) => `eks-node-lifecycle/${mark}`),
  );
  const core = controlPlane.api(CoreV1Api);
  await until(async () => {
    const { items } = await core.listNamespace();
    return !items.some(({ metadata }) => metadata?.name === space);
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(300);
}

type ControlPlane = RealWorld["controlPlane"];

async function nodeNames(controlPlane: ControlPlane): Promise<readonly string[]> {
  const { items } = await controlPlane.api(CoreV1Api).listNode();
  return items.map(({ metadata }) => metadata?.name ?? "");
}

async function ready(controlPlane: ControlPlane): Promise<number> {
  const { items } = await controlPlane
    .api(AppsV1Api)
    .listNamespacedDeployment({ namespace: space });
  return items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}

async function allowing(controlPlane: ControlPlane): Promise<number> {
  const { items } = await controlPlane
    .api(PolicyV1Api)
    .listNamespacedPodDisruptionBudget({ namespace: space });
  return items.filter(({ status }) => (status?.disruptionsAllowed ?? 0) > 0).length;
}
