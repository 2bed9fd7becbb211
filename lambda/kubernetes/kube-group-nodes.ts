import http from "node:http";
import { gunzipSync } from "node:zlib";
import type { V1Pod } from "@kubernetes/client-node";
import { type InstanceId, instanceId, type NodeName, podUid } from "../base/ids.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { fromEnvironment } from "../config/config.ts";
import { byLikelihood, type MachineNode } from "../drain/node.ts";
import type { NodeInfo } from "../drain/node-info.ts";
import type { Instances } from "../group/group.port.ts";
import type { DaemonPod, GroupNodes } from "../group-work/group-nodes.port.ts";
import { Semaphore } from "../http/semaphore.ts";
import { pathIn } from "./api-path.ts";
import type { AsSent } from "./as-sent.ts";
import { mayAsk } from "./asked-host.ts";
import { type Collection, listed, pagesOf } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import type { KubeClient } from "./kube-connection.ts";
import { type ReadWithin, readWithin } from "./listed-within.ts";
import { nodeInfosOf } from "./node-infos.ts";
import { machineNodeOf } from "./node-of.ts";
import { onNode, type PodsWanted, podsAs, unended } from "./pod-lists.ts";
import { podOf } from "./pod-of.ts";
import { metadataOnly, readJson } from "./send-request.ts";

/** A pod without its spec and its status. */
type PodHeader = Pick<AsSent<V1Pod>, "metadata">;

const runtimeApi = (): string =>
  fromEnvironment((variables) => variables["AWS_LAMBDA_RUNTIME_API"] ?? "");

// The time limit of a node for its answer to a check.
const checkTimeout = 5000;
// So many lists are in memory at once.
const fewAtOnce = 5;

/** The lists that all readers of a process share, because together they fill its memory. */
interface SharedLists {
  readonly gate: Semaphore;
  waits: Promise<ReadWithin<OwnDaemonPod>> | undefined;
}

/** The nodes of groups, and what shows how the cluster is doing. */
export class KubeGroupNodes implements GroupNodes {
  readonly #client: KubeClient;
  readonly #instances: Pick<Instances, "namesOf">;
  readonly #unread = new Set<string>();
  readonly #shared: SharedLists;

  /** Nodes without a provider ID are found by the names that their instances have. */
  constructor(
    client: KubeClient,
    instances: Pick<Instances, "namesOf">,
    shared: SharedLists = { gate: new Semaphore(() => fewAtOnce), waits: undefined },
  ) {
    this.#client = client;
    this.#instances = instances;
    this.#shared = shared;
  }

  reader(): KubeGroupNodes {
    return new KubeGroupNodes(this.#client, this.#instances, this.#shared);
  }

  all(): Promise<readonly MachineNode[]> {
    return listed(this.#client, allNodes);
  }

  async nodesOf(instances: readonly InstanceId[]): Promise<readonly MachineNode[]> {
    const nodes = await this.#listed(new Set(instances));
    const own = Map.groupBy(nodes, ({ instance }) => instance);
    const strangers = own.get(nobody) ?? [];
    const doubtful = instances.filter((one) => {
      const count = own.get(one)?.length ?? 0;
      return count > 1 || (count === 0 && strangers.length > 0);
    });
    if (doubtful.length === 0) return nodes.filter(({ instance }) => instance !== nobody);
    const names = await this.#instances.namesOf(doubtful);
    return instances.flatMap((instance) => {
      const isNamed = ({ name }: MachineNode) => names.get(instance)?.includes(name) === true;
      const its = own.get(instance) ?? strangers.filter(isNamed);
      // A kubelet may write the provider ID of another instance into its node. No kubelet chooses its name.
      const named = its.filter(isNamed);
      const node = (named.length > 0 ? named : its).toSorted(byLikelihood).at(-1);
      return node === undefined ? [] : [{ ...node, instance }];
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
    const counted = await sideBySide(nodes, fewAtOnce, async (node) => {
      const where = unended(`spec.nodeName=${node}`);
      const wanted = { ...onNode(node), where, form: { accept: metadataOnly } };
      const pods = await this.#read(podsAs(wanted, leavingOf));
      return [node, pods.filter(({ isLeaving }) => isLeaving).length] as const;
    });
    return new Map(counted);
  }

  async daemonPods(node: NodeName): Promise<readonly DaemonPod[]> {
    const [waits, bound] = await Promise.all([
      this.#waitingNow(),
      this.#shared.gate.run(() => this.#read(podsAs(onNode(node), daemonPodOf))),
    ]);
    // Pods that were bound meanwhile are in both lists.
    const pods = new Map([...waits, ...bound].map((pod) => [pod.uid, pod]));
    return [...pods.values()]
      .filter((pod) => pod.node === node)
      .map(({ namespace, name, readiness }) => ({ namespace, name, readiness }));
  }

  /** The pods that wait for a node, in one list for all who ask meanwhile: anybody in a namespace may make it long. */
  async #waitingNow(): Promise<readonly OwnDaemonPod[]> {
    const shared = this.#shared;
    shared.waits ??= readWithin(this.#client, podsAs(waiting, daemonPodOf)).finally(() => {
      shared.waits = undefined;
    });
    return this.#noted(await shared.waits);
  }

  async podAddresses(nodes: readonly NodeName[]): Promise<readonly string[]> {
    const found = await sideBySide(nodes, fewAtOnce, (node) =>
      this.#read(podsAs(onNode(node), addressOf)),
    );
    return found.flat().map(({ address }) => address);
  }

  async nodeInfos(instances: readonly InstanceId[]): Promise<readonly NodeInfo<MachineNode>[]> {
    const { nodeInfos, leftOut } = await nodeInfosOf(this.#client, instances);
    this.#note(leftOut);
    const own = Map.groupBy(nodeInfos, ({ node }) => node.instance);
    const doubtful = new Set(instances.filter((one) => (own.get(one)?.length ?? 0) > 1));
    if (doubtful.size === 0) return nodeInfos;
    const likely = await this.nodesOf([...doubtful]);
    const theirs = new Set(likely.map(({ name }) => name));
    return nodeInfos.filter(({ node }) => !doubtful.has(node.instance) || theirs.has(node.name));
  }

  async pendingPods(): Promise<ReadonlyMap<string, number>> {
    const wanted = { ...waiting, form: { accept: metadataOnly } };
    const pods = await this.#read(podsAs(wanted, leavingOf));
    const counts = new Map<string, number>();
    for (const { namespace, isThere } of pods)
      if (isThere) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
    return counts;
  }

  async runningPods(namespace: string): Promise<number> {
    const wanted = {
      title: `running pods of namespace ${namespace}`,
      path: pathIn(namespace, "pods"),
      where: "status.phase=Running",
      counted: "what is unusual",
      form: { accept: metadataOnly },
    } as const;
    // An upgrade asks for many namespaces together.
    const pods = await this.#shared.gate.run(() => this.#read(podsAs(wanted, leavingOf)));
    return pods.filter(({ isThere }) => isThere).length;
  }

  unreadNamespaces(): readonly string[] {
    const unread = [...this.#unread];
    this.#unread.clear();
    return unread;
  }

  version(): Promise<string> {
    return this.#client.ask("reading the version of the API server", async (connection) => {
      const { gitVersion = "" } = await readJson<{ gitVersion?: string }>(connection, "/version");
      return gitVersion;
    });
  }

  async answers(url: string): Promise<boolean> {
    // A node without an address has no URL.
    if (!URL.canParse(url) || !mayAsk(new URL(url), runtimeApi())) return false;
    return new Promise((resolve) => {
      const request = http.get(url, { agent: false }, (answer) => {
        answer.destroy();
        end(answer.statusCode === 200);
      });
      request.on("error", () => end(false));
      // A server may send a letter now and then, so the time counts as a whole.
      const limit = setTimeout(() => request.destroy(), checkTimeout);
      const end = (isWell: boolean): void => {
        clearTimeout(limit);
        resolve(isWell);
      };
    });
  }

  async #read<T>(pods: Collection<T>): Promise<readonly T[]> {
    return this.#noted(await readWithin(this.#client, pods));
  }

  #noted<T>({ items, leftOut }: ReadWithin<T>): readonly T[] {
    this.#note(leftOut);
    return items;
  }

  #note(leftOut: readonly string[]): void {
    for (const namespace of leftOut) this.#unread.add(namespace);
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

/** The pods without a node. */
const waiting: PodsWanted = {
  title: "pods that wait for a node",
  where: "spec.nodeName=,status.phase=Pending",
  counted: "what is unusual",
};

const idOf = ({ metadata: { namespace = "", uid = "" } = {} }: PodHeader) => ({
  namespace,
  uid: podUid(uid),
});

const addressOf = (sent: AsSent<V1Pod>) => ({
  ...idOf(sent),
  /** Empty for a pod without one. */
  address: sent.status?.podIP ?? "",
});

/** Reads from the metadata of a pod if it is there, and if a drain would evict it. */
function leavingOf(pod: PodHeader) {
  const { annotations = {}, ownerReferences: owners = [], deletionTimestamp } = pod.metadata ?? {};
  const isThere = deletionTimestamp === undefined;
  const stays = owners.some(({ kind }) => kind === "DaemonSet" || kind === "Node");
  const isLeaving = isThere && !stays && !("kubernetes.io/config.mirror" in annotations);
  return { ...idOf(pod), isThere, isLeaving };
}

type OwnDaemonPod = ReturnType<typeof daemonPodOf>;

function daemonPodOf(sent: AsSent<V1Pod>) {
  const { namespace, name, uid, controller, node, ready, termination } = podOf(sent);
  const isOfDaemonSet = controller.kind === "owner" && controller.type === "DaemonSet";
  const isReady = ready && node !== "" && termination.kind === "active";
  return {
    namespace,
    name,
    uid,
    /** The node that it is bound to, or is meant for; empty for a pod of no DaemonSet. */
    node: isOfDaemonSet ? node || meantFor(sent) : "",
    readiness: isReady ? ("ready" as const) : ("not-ready" as const),
  };
}

/** The DaemonSet controller names the node of a pod by an affinity, and the scheduler binds the pod if it fits. */
function meantFor({ spec }: AsSent<V1Pod>): string {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } =
    spec?.affinity?.nodeAffinity ?? {};
  const fields = required?.nodeSelectorTerms.flatMap(({ matchFields = [] }) => matchFields) ?? [];
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0] ?? "";
}
