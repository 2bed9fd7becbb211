import { AppsV1Api, CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import type { InstanceId, NodeName } from "../../domain/ids.ts";
import type { Marking, Unmarking } from "../../domain/node/marking.ts";
import { type Node, runsOn } from "../../domain/node/node.ts";
import type { Eviction, Grace } from "../../domain/pod/eviction.ts";
import { type Pod, type PodLookup, podTitle } from "../../domain/pod/pod.ts";
import { type Duration, seconds } from "../../domain/time.ts";
import type { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  AttachmentsView,
  Cluster,
  DrainView,
  NodeRemoval,
  NodesView,
  NodeWrite,
  WantedAttachments,
} from "../../ports/cluster.ts";
import { TtlCache } from "../local/ttl-cache.ts";
import type { KubeClient } from "./connection/kube-client.ts";
import type { KubeConnection } from "./connection/kube-connection.ts";
import { kubeFault, tryRefusal } from "./connection/kube-fault.ts";
import { nodeOf } from "./objects/node-of.ts";
import { nodePatch } from "./objects/node-patch.ts";
import { podOf } from "./objects/pod-of.ts";
import { deletePod, evictPod } from "./pod-evictions.ts";
import { type Collection, findIn, listAll, pagesOf } from "./watch/collection.ts";
import { allNodes, cordonedNodes, podsOf } from "./watch/collections.ts";
import { drainView } from "./watch/drain-view.ts";
import type { InformerTools } from "./watch/informer.ts";
import { nodesView } from "./watch/nodes-view.ts";
import { SharedAttachments } from "./watch/shared-attachments.ts";
import { SharedBudgets } from "./watch/shared-budgets.ts";

type NodeOfInstance = Pick<Node, "name" | "providerId">;

/** A cluster, over the Kubernetes API. */
export class KubeCluster implements Cluster {
  readonly #client: KubeClient;
  readonly #tools: InformerTools;
  readonly #budgets: SharedBudgets;
  readonly #attachments: SharedAttachments;
  // Many instances are launched at the same time, and a list of thousands of nodes is long.
  readonly #lists: TtlCache<readonly NodeOfInstance[]>;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#tools = { client, clock };
    this.#budgets = new SharedBudgets(this.#tools);
    this.#attachments = new SharedAttachments(this.#tools);
    this.#lists = new TtlCache(clock, () => seconds(5));
  }

  async findNode(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent"> {
    const named = await this.nodeNamed(instance, names);
    return named === "absent" ? this.#search(instance) : named;
  }

  async nodeNamed(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent"> {
    for (const name of names) {
      const node = await this.node(name);
      if (node !== "absent" && runsOn(node, instance)) return node;
    }
    return "absent";
  }

  nodeNameOf(instance: InstanceId): Promise<NodeName | "absent"> {
    return this.#nameAmong(allNodes, instance);
  }

  async cordonedNodeOf(instance: InstanceId): Promise<Node | "absent"> {
    return this.#found(instance, await this.#nameAmong(cordonedNodes, instance));
  }

  async nodeOf(instance: InstanceId): Promise<Node | "absent"> {
    return this.#found(instance, await this.nodeNameOf(instance));
  }

  async #found(instance: InstanceId, name: NodeName | "absent"): Promise<Node | "absent"> {
    return name === "absent" ? "absent" : this.nodeNamed(instance, [name]);
  }

  async #nameAmong(nodes: Collection<Node>, instance: InstanceId): Promise<NodeName | "absent"> {
    const all = await this.#lists.recall(nodes.title, () => this.#list(nodes));
    return all.find((node) => runsOn(node, instance))?.name ?? "absent";
  }

  /** Keeps of each node only what tells whose it is. */
  #list(collection: Collection<Node>): Promise<readonly NodeOfInstance[]> {
    return this.#client.ask(`listing ${collection.title}`, async (connection) => {
      const nodes: NodeOfInstance[] = [];
      for await (const { items } of pagesOf(collection, connection))
        nodes.push(...items.map(({ name, providerId }) => ({ name, providerId })));
      return nodes;
    });
  }

  pods(node: NodeName): Promise<readonly Pod[]> {
    return this.#client.ask(`listing pods of node ${node}`, async (connection) => {
      const { items } = await listAll(podsOf(node), connection);
      return items;
    });
  }

  async node(name: NodeName): Promise<Node | "absent"> {
    return this.#client.ask(`reading node ${name}`, async (connection) => {
      const read = core(connection).readNode({ name });
      const found = await absentIfNotFound(read);
      return found === "absent" ? found : nodeOf(found);
    });
  }

  /** Looks through all nodes page by page, and keeps none of the others. */
  #search(instance: InstanceId): Promise<Node | "absent"> {
    return this.#client.ask("listing nodes", (connection) =>
      findIn(allNodes, connection, (node) => runsOn(node, instance)),
    );
  }

  mark(node: Node, marking: () => Marking): Promise<NodeWrite> {
    return this.#patch(node, marking);
  }

  unmark(node: Node, unmarking: Unmarking): Promise<NodeWrite> {
    return this.#patch(node, () => unmarking);
  }

  #patch(node: Node, change: () => Marking | Unmarking): Promise<NodeWrite> {
    const { name } = node;
    return this.#client.ask(`marking node ${name}`, async (connection): Promise<NodeWrite> => {
      try {
        await core(connection).patchNode({ name, body: nodePatch(node, change()) }, mergePatch);
        return "marked";
      } catch (cause) {
        const code = tryRefusal(cause)?.code;
        if (code === 409) return "changed";
        if (code === 404) return "gone";
        throw cause;
      }
    });
  }

  removeNode({ name, uid, resourceVersion }: Node): Promise<NodeRemoval> {
    const body = { preconditions: { uid, resourceVersion } };
    return this.#client.ask(`removing node ${name}`, async (connection): Promise<NodeRemoval> => {
      try {
        await core(connection).deleteNode({ name, body });
        return "removed";
      } catch (cause) {
        const code = tryRefusal(cause)?.code;
        if (code === 409) return "changed";
        if (code === 404) return "gone";
        throw cause;
      }
    });
  }

  async daemonSet(namespace: string, name: string): Promise<"there" | "absent" | "unclear"> {
    try {
      const read = await this.#client.once((connection) =>
        absentIfNotFound(
          new AppsV1Api(connection.configuration()).readNamespacedDaemonSet({ namespace, name }),
        ),
      );
      return read === "absent" ? "absent" : "there";
    } catch {
      // Whatever the reason, the pods of this DaemonSet are left alone.
      return "unclear";
    }
  }

  follow(node: NodeName, bell: Bell): Promise<DrainView> {
    return drainView(node, { ...this.#tools, budgets: this.#budgets, bell });
  }

  followNodes(names: readonly NodeName[], bell: Bell): Promise<NodesView> {
    return nodesView(names, { ...this.#tools, bell });
  }

  async followAttachments(wanted: WantedAttachments, bell: Bell): Promise<AttachmentsView> {
    const { items, close } = await this.#attachments.follow(wanted, bell);
    return { attachments: items, close };
  }

  async volumesOf({ namespace, claims }: Pod): Promise<readonly string[]> {
    const volumes = await Promise.all(
      claims.map((name) =>
        this.#client.ask(`reading claim ${namespace}/${name}`, async (connection) => {
          const read = core(connection).readNamespacedPersistentVolumeClaim({ namespace, name });
          const claim = await absentIfNotFound(read);
          return claim === "absent" ? "" : (claim.spec?.volumeName ?? "");
        }),
      ),
    );
    return volumes.filter((volume) => volume !== "");
  }

  async lookUp(pod: Pod): Promise<PodLookup> {
    const { namespace, name, uid, node } = pod;
    // The function has the right to list pods, but not to get one.
    const fieldSelector = `metadata.name=${name},spec.nodeName=${node}`;
    try {
      const { items } = await this.#client.once((connection) =>
        core(connection).listNamespacedPod({ namespace, fieldSelector }),
      );
      const found = items.map(podOf).find((seen) => seen.uid === uid);
      return found === undefined ? { kind: "gone" } : { kind: "there", pod: found };
    } catch (cause) {
      const { message } = kubeFault(`reading pod ${podTitle(pod)}`, cause);
      return { kind: "unclear", message, retryAfter: "unsaid" };
    }
  }

  evict(pod: Pod, grace: Grace): Promise<Eviction> {
    return evictPod(this.#client, pod, grace);
  }

  tryEviction(pod: Pod): Promise<Eviction> {
    return evictPod(this.#client, pod, "try");
  }

  remove(pod: Pod, grace: Duration): Promise<Eviction> {
    return deletePod(this.#client, pod, grace);
  }
}

const core = (connection: KubeConnection): CoreV1Api => new CoreV1Api(connection.configuration());

const mergePatch = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

async function absentIfNotFound<T>(read: Promise<T>): Promise<T | "absent"> {
  try {
    return await read;
  } catch (cause) {
    if (tryRefusal(cause)?.code === 404) return "absent";
    throw cause;
  }
}
