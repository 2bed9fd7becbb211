import { setTimeout } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import type { Duration } from "../../../lambda/base/time.ts";
import { daemonSets, deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { budgets } from "../../../sandbox/kubernetes/budget.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import type { KubeObject } from "../../../sandbox/kubernetes/kube-object.ts";
import type { Node } from "../../../sandbox/kubernetes/node.ts";
import type { WorkloadOptions } from "../../../sandbox/kubernetes/pod-draft.ts";
import { SandboxCluster } from "../../../sandbox/kubernetes/sandbox-cluster.ts";
import { startKubeServer } from "../../../sandbox/servers/kube-server.ts";
import { WallTimeline } from "../../../sandbox/timeline.ts";
import { type CapturedIo, capturedIo, type Surroundings } from "../captured-io.ts";
import { kubeconfigFile } from "../connect/kubeconfig-file.ts";

/** The nodes of the cluster, and the instance of each. */
export const [first, second] = ["ip-10-0-0-1.internal", "ip-10-0-0-2.internal"] as const;
export const instanceOf = { [first]: "i-00000000000000001", [second]: "i-00000000000000002" };

/** A cluster of two nodes, served on loopback for one test, and a kubeconfig for it. Its clock may be ahead of ours. */
export async function aCluster(ahead?: Duration) {
  const timeline = new WallTimeline(ahead);
  const cluster = new SandboxCluster(timeline);
  const server = await startKubeServer(cluster);
  const certificateAuthority = Buffer.from(server.certificateAuthority, "base64").toString();
  const served = { endpoint: server.url, certificateAuthority };
  const kubeconfig = kubeconfigFile(served, { token: "mine" });
  onTestFinished(async () => {
    await server.close();
    timeline.stop();
  });
  for (const name of [first, second])
    cluster.addNode({ name, providerID: `aws:///eu-west-1a/${instanceOf[name]}` });
  /** The version of every object that the cluster has. */
  const everyVersion = () =>
    [nodes, pods, budgets, daemonSets, deployments].flatMap((resource) =>
      cluster.store.list<KubeObject>(resource).map(({ metadata }) => [resource.plural, metadata]),
    );
  /** Adds a budget that lets no pod of `web` go, and waits until its status says so. */
  const addBudget = async () => {
    const selector = { matchLabels: { app: "web" } };
    const { metadata } = cluster.addBudget({ name: "web", maxUnavailable: 0, selector });
    const ref = { resource: budgets, ...metadata };
    await until(() => (cluster.store.get(ref).status?.currentHealthy ?? 0) > 0);
    // Controllers and kubelets write their objects' status for a second or so.
    for (let seen = -1; seen !== cluster.store.revision; await setTimeout(1500))
      seen = cluster.store.revision;
    return { metadata };
  };
  return { cluster, server, kubeconfig, addBudget, everyVersion };
}

/** Such a cluster. */
export type ACluster = Awaited<ReturnType<typeof aCluster>>;

// The tests need no time to look for pods that are bound late.
const quickly = ["--settle", "0s", "--no-aws"];

/** Runs the command on such a cluster. */
export function run(
  { kubeconfig }: ACluster,
  args: readonly string[],
  surroundings: Surroundings = {},
) {
  const io: CapturedIo = capturedIo({ ...surroundings });
  const code = main([...args, "--kubeconfig", kubeconfig], io);
  return { io, code };
}

/** Drains nodes with the command. */
export const drain = (it: ACluster, args: readonly string[], surroundings: Surroundings = {}) =>
  run(it, ["drain", ...quickly, ...args], surroundings);

/** Runs a Deployment with pods on these nodes. */
export function deploy(
  { cluster }: ACluster,
  { name, on, ...others }: Omit<WorkloadOptions, "pods" | "replicas"> & { on: readonly string[] },
): void {
  const placed = on.map((node, index) => ({ name: `${name}-${index + 1}`, node }));
  cluster.addDeployment({ name, ...others, replicas: placed.length, pods: placed });
}

/** A node as it is now. */
export const nodeNow = ({ cluster }: ACluster, name: string): Node =>
  cluster.store.get({ resource: nodes, name });

/** The names of the pods on a node now. */
export const podsOn = ({ cluster }: ACluster, node: string): readonly string[] =>
  cluster.store
    .list(pods)
    .filter(({ spec }) => spec.nodeName === node)
    .map(({ metadata }) => metadata.name);

/** The requests of the command that wanted to change something, in short. */
export const writesIn = ({ cluster }: ACluster): readonly string[] =>
  cluster.audit
    .filter(({ verb }) => !["get", "list", "watch"].includes(verb))
    .map(
      ({
        verb,
        objectRef: { resource, subresource = "", name = "" } = { resource: "" },
        responseStatus,
      }) => `${verb} ${resource}${subresource && `/${subresource}`} ${name} ${responseStatus.code}`,
    );

/** Waits until something is so. */
export const until = (isSo: () => boolean): Promise<void> =>
  vi.waitFor(
    () => {
      if (!isSo()) throw new Error("not yet");
    },
    { timeout: 60_000, interval: 50 },
  );
