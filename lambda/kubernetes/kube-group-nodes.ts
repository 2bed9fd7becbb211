import http from "node:http";
import { gunzipSync } from "node:zlib";
import type { V1Pod } from "@kubernetes/client-node";
import { type InstanceId, instanceId, type NodeName } from "../base/ids.ts";
import type { MachineNode } from "../drain/node.ts";
import type { NodeInfo } from "../drain/node-info.ts";
import type { Instances } from "../group/group.port.ts";
import type { DaemonPod, GroupNodes } from "../group-work/group-nodes.port.ts";
import type { AsSent } from "./as-sent.ts";
import { type Collection, listed, pagesOf } from "./collection.ts";
import { collectionOf, podsAs } from "./collections.ts";
import type { KubeClient } from "./kube-connection.ts";
import { nodeInfosOf } from "./node-infos.ts";
import { machineNodeOf } from "./node-of.ts";
import { podOf } from "./pod-of.ts";
import { metadataOnly, readJson } from "./send-request.ts";

/** A pod without its spec and its status. */
type PodHeader = Pick<AsSent<V1Pod>, "metadata">;

// How long a node may take to answer a check.
const checkTimeout = 5000;

/** The nodes of groups, and what shows how the cluster is doing. */
export class KubeGroupNodes implements GroupNodes {
  readonly #client: KubeClient;
  readonly #instances: Pick<Instances, "namesOf">;

  /** Nodes without a provider ID are found by the names that their instances have. */
  constructor(client: KubeClient, instances: Pick<Instances, "namesOf">) {
    this.#client = client;
    this.#instances = instances;
  }

  all(): Promise<readonly MachineNode[]> {
    return listed(this.#client, allNodes);
  }

  async nodesOf(instances: readonly InstanceId[]): Promise<readonly MachineNode[]> {
    const nodes = await this.#listed(new Set(instances));
    const found = new Set(nodes.map(({ instance }) => instance));
    if (!found.delete(nobody)) return nodes;
    const names = await this.#instances.namesOf(instances.filter((one) => !found.has(one)));
    const owners = new Map([...names].flatMap(([id, all]) => all.map((name) => [name, id])));
    return nodes.flatMap((node) => {
      const instance = node.instance === nobody ? owners.get(node.name) : node.instance;
      return instance === undefined ? [] : [{ ...node, instance }];
    });
  }

  /** Reads all nodes page by page, and keeps those of these instances and those without a provider ID. */
  #listed(wanted: ReadonlySet<InstanceId>): Promise<readonly MachineNode[]> {
    return this.#client.ask("listing nodes", async (connection) => {
      const found: MachineNode[] = [];
      for await (const { items } of pagesOf(allNodes, connection))
        found.push(
          ...items.filter(({ instance, providerId }) => wanted.has(instance) || providerId === ""),
        );
      return found;
    });
  }

  async podCounts(nodes: readonly NodeName[]): Promise<ReadonlyMap<NodeName, number>> {
    const counted = nodes.map(async (node) => [node, await this.#podsLeaving(node)] as const);
    return new Map(await Promise.all(counted));
  }

  daemonPods(node: NodeName): Promise<readonly DaemonPod[]> {
    return daemonPodsOf(this.#client, node);
  }

  async podAddresses(nodes: readonly NodeName[]): Promise<readonly string[]> {
    return (await Promise.all(nodes.map((node) => listed(this.#client, addressesOn(node))))).flat();
  }

  nodeInfos(instances: readonly InstanceId[]): Promise<readonly NodeInfo<MachineNode>[]> {
    return nodeInfosOf(this.#client, instances);
  }

  pendingPods(): Promise<ReadonlyMap<string, number>> {
    const headers = podHeaders("spec.nodeName=,status.phase=Pending");
    return this.#client.ask("listing pods that wait for a node", async (connection) => {
      const counts = new Map<string, number>();
      for await (const { items } of pagesOf(headers, connection))
        for (const { metadata } of items.filter(isThere)) {
          const namespace = metadata?.namespace ?? "";
          counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
        }
      return counts;
    });
  }

  runningPods(namespace: string): Promise<number> {
    const headers = podHeaders("status.phase=Running", `/api/v1/namespaces/${namespace}/pods`);
    return this.#count(`listing running pods of namespace ${namespace}`, headers, isThere);
  }

  version(): Promise<string> {
    return this.#client.ask("reading the version of the API server", async (connection) => {
      const { gitVersion = "" } = await readJson<{ gitVersion?: string }>(connection, "/version");
      return gitVersion;
    });
  }

  async answers(url: string): Promise<boolean> {
    // A node without an address has no URL.
    if (!URL.canParse(url)) return false;
    return new Promise((resolve) => {
      const request = http.get(url, { agent: false, timeout: checkTimeout }, (answer) => {
        answer.destroy();
        resolve(answer.statusCode === 200);
      });
      request.on("timeout", () => request.destroy());
      request.on("error", () => resolve(false));
    });
  }

  #podsLeaving(node: NodeName): Promise<number> {
    const fieldSelector = `spec.nodeName=${node},status.phase!=Succeeded,status.phase!=Failed`;
    return this.#count(`listing pods of node ${node}`, podHeaders(fieldSelector), isLeaving);
  }

  #count(doing: string, headers: Collection<PodHeader>, counts: (pod: PodHeader) => boolean) {
    return this.#client.ask(doing, async (connection) => {
      let count = 0;
      for await (const { items } of pagesOf(headers, connection))
        count += items.filter(counts).length;
      return count;
    });
  }
}

// A node is 15 kB long, so the pages come compressed.
const allNodes = collectionOf({
  title: "nodes",
  path: "/api/v1/nodes",
  query: {},
  form: { unpack: gunzipSync },
  start: "listed",
  itemOf: machineNodeOf,
  uid: ({ uid }) => uid,
});

const nobody = instanceId("");

const podHeaders = (fieldSelector: string, path = "/api/v1/pods"): Collection<PodHeader> =>
  collectionOf({
    title: "pods",
    path,
    query: { fieldSelector },
    form: { accept: metadataOnly },
    start: "listed",
    itemOf: (sent: PodHeader) => sent,
    uid: () => "",
  });

/** The address of each pod of a node; empty for a pod without one. */
const addressesOn = podsAs(
  ({ status }: AsSent<V1Pod>) => status?.podIP ?? "",
  () => "",
);

const isThere = ({ metadata }: PodHeader): boolean => metadata?.deletionTimestamp === undefined;

/** Whether a drain would evict a pod, as far as its metadata show. */
function isLeaving(pod: PodHeader): boolean {
  const { annotations = {}, ownerReferences: owners = [] } = pod.metadata ?? {};
  const stays = owners.some(({ kind }) => kind === "DaemonSet" || kind === "Node");
  return isThere(pod) && !stays && !("kubernetes.io/config.mirror" in annotations);
}

interface MeantPod extends DaemonPod {
  /** The node that it is bound to, or is meant for; empty for a pod of no DaemonSet. */
  readonly node: string;
}

/** The pods of DaemonSets on a node, and those that are meant for it but find no place there. */
async function daemonPodsOf(client: KubeClient, node: NodeName): Promise<readonly DaemonPod[]> {
  const selectors = [`spec.nodeName=${node}`, "spec.nodeName=,status.phase=Pending"];
  const found = await Promise.all(selectors.map((selector) => daemonPods(client, selector)));
  return found
    .flat()
    .filter((pod) => pod.node === node)
    .map(({ namespace, name, readiness }) => ({ namespace, name, readiness }));
}

function daemonPods(client: KubeClient, fieldSelector: string): Promise<readonly MeantPod[]> {
  const title = `pods with ${fieldSelector}`;
  const query = { fieldSelector };
  const shape = { path: "/api/v1/pods", start: "listed", uid: () => "" } as const;
  const pods = collectionOf({ title, query, itemOf: daemonPodOf, ...shape });
  return client.ask(`listing ${title}`, async (connection) => {
    const found: MeantPod[] = [];
    for await (const { items } of pagesOf(pods, connection))
      found.push(...items.filter(({ node }) => node !== ""));
    return found;
  });
}

function daemonPodOf(sent: AsSent<V1Pod>): MeantPod {
  const { controller, namespace, name, node, ready, termination } = podOf(sent);
  const isReady = ready && node !== "" && termination.kind === "active";
  return {
    namespace,
    name,
    node:
      controller.kind === "owner" && controller.type === "DaemonSet" ? node || meantFor(sent) : "",
    readiness: isReady ? "ready" : "not-ready",
  };
}

/** The DaemonSet controller names the node of a pod by an affinity, and the scheduler binds the pod if it fits. */
function meantFor({ spec }: AsSent<V1Pod>): string {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } =
    spec?.affinity?.nodeAffinity ?? {};
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields = [] }) => matchFields) ?? [];
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0] ?? "";
}
