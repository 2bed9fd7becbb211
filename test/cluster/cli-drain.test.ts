import { CoreV1Api, type V1Pod } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { productName } from "../../lambda/base/contract.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { mutatingVerbs } from "./audit-log.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { daemonSet, pod, podDisruptionBudget, replicaSet } from "./manifests.ts";

const nodes = ["node-a", "node-b", "node-c"].map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const patience = { timeout: 60_000, interval: 200 };
const critical = { priorityClassName: "system-cluster-critical" };

/** What a node has of ordinary pods, critical ones and those of a DaemonSet, with a budget that lets one go at a time. */
const workloadsOn = (node: string) => [
  ...controlled({ name: `web-${node}`, replicas: 3 }, node),
  ...controlled({ name: `dns-${node}`, namespace: "kube-system", spec: critical }, node),
  podDisruptionBudget({ name: `web-${node}`, app: `web-${node}`, allows: { maxUnavailable: 1 } }),
];

/** A ReplicaSet that adopts its pods, which are on the node already. */
function controlled(workload: Parameters<typeof replicaSet>[0], nodeName: string) {
  const { name, replicas = 1, spec } = workload;
  const pods = Array.from({ length: replicas }, (_, index) =>
    pod({
      ...workload,
      name: `${name}-${index}`,
      labels: { app: name },
      spec: { ...spec, nodeName, terminationGracePeriodSeconds: 2 },
    }),
  );
  return [...pods, replicaSet(workload)];
}

describe("drain at a terminal, on a real control plane", () => {
  let controlPlane: ControlPlane;
  let core: CoreV1Api;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes });
    core = controlPlane.api(CoreV1Api);
    const onAll = daemonSet({ name: "proxy", namespace: "kube-system" });
    await controlPlane.apply(onAll);
    await applyAdopted(controlPlane, ...workloadsOn("node-a"), ...workloadsOn("node-b"));
    await vi.waitFor(async () => expect(await running()).toHaveLength(3 + 2 * 4), patience);
  });
  afterAll(async () => controlPlane.stop());

  const pods = async (): Promise<readonly V1Pod[]> => (await core.listPodForAllNamespaces()).items;
  const running = async () => (await pods()).filter(({ status }) => status?.phase === "Running");
  /** The names of the controllers of a node's pods, without the name of the node. */
  const left = async (node: string) =>
    (await pods())
      .filter(({ spec }) => spec?.nodeName === node)
      .map(({ metadata }) => metadata?.ownerReferences?.[0]?.name.replace(node, ""));
  const nodeNow = async (name: string) => {
    const { metadata, spec } = await core.readNode({ name });
    const { labels, annotations } = metadata ?? {};
    return { labels, annotations, spec };
  };

  const taintsOf = async (name: string) => (await nodeNow(name)).spec?.taints;

  async function drain(...args: readonly string[]) {
    const io = capturedIo();
    const access = ["--kubeconfig", controlPlane.kubeconfig, "--no-aws"];
    return { code: await main(["drain", ...args, ...access], io), io };
  }

  it("does to a node what kubectl drain does, after a dry run that changed nothing, and opens it again", async () => {
    // The control plane takes its own taints off later than the kubelet says that it is Ready.
    await vi.waitFor(async () => expect(await taintsOf("node-a")).toBeUndefined(), patience);
    const before = await nodeNow("node-a");
    // The control plane writes the status of pods meanwhile, so their versions say nothing.
    const written = async () => {
      const own = await controlPlane.audit({ userAgent: `${productName}/`, verbs: mutatingVerbs });
      return own
        .map(({ verb, uri }) => `${verb} ${uri}`)
        .filter((it) => !it.includes("dryRun=All"));
    };

    const tried = await drain("node-a", "--dry-run", "--json");

    expect(await written()).toEqual([]);
    expect(await nodeNow("node-a")).toEqual(before);
    expect(jsonLines(tried.io)).toMatchObject([{ kind: "dry-run", node: "node-a" }]);

    const drained = await drain("node-a");
    await controlPlane.kubectlText("drain", "node-b", "--ignore-daemonsets");

    expect([drained.code, drained.io.err()]).toEqual([0, ""]);
    expect(await left("node-a")).toEqual(["proxy"]);
    expect((await written()).join("\n")).toContain("/eviction");
    expect(await left("node-b")).toEqual(await left("node-a"));
    const { spec: drainedSpec } = await nodeNow("node-a");
    const { spec: kubectlsSpec } = await nodeNow("node-b");
    expect(drainedSpec?.unschedulable).toBe(kubectlsSpec?.unschedulable);

    const opened = await drain("node-a", "--undo");

    expect([opened.code, opened.io.out()]).toEqual([0, "node node-a is open again\n"]);
    // The taint of a cordoned node is the control plane's too.
    await vi.waitFor(async () => expect(await nodeNow("node-a")).toEqual(before), patience);
    expect((await drain("node-b", "--undo")).code).toBe(1);
    expect((await nodeNow("node-b")).spec?.unschedulable).toBe(true);
  });
});
