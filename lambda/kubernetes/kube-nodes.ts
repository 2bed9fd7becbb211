import type { V1Node } from "@kubernetes/client-node";
import type { Clock } from "../base/clock.port.ts";
import { type InstanceId, type NodeName, nodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { seconds } from "../base/time.ts";
import type { Cluster, CordonedNode, NodeRemoval, NodeWrite } from "../drain/drain.port.ts";
import type { Marking } from "../drain/marking.ts";
import { type Node, runsOn, type Taint } from "../drain/node.ts";
import { isSameTaint } from "../drain/own-taint.ts";
import type { Unmarking } from "../drain/unmarking.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import { nodePath } from "./api-path.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { type Collection, findIn, pagesOf } from "./collection.ts";
import { allNodes, cordonedNodes } from "./collections.ts";
import type { KubeClient } from "./kube-connection.ts";
import { absentIfNotFound, unlessChanged } from "./kube-fault.ts";
import { nodeOf } from "./node-of.ts";
import { NodeReads } from "./node-reads.ts";
import { type KubeAnswer, metadataOnly, readJson, sendRequest } from "./send-request.ts";

type NodeOfInstance = Pick<Node, "name" | "providerId">;

type Nodes = Pick<
  Cluster,
  | "cordonedNodes"
  | "findNode"
  | "mark"
  | "node"
  | "nodeNamed"
  | "nodeNameOf"
  | "nodesOf"
  | "removeNode"
>;

/** The nodes of a cluster: finds, marks and removes them. */
export class KubeNodes implements Nodes {
  readonly #client: KubeClient;
  readonly #reads: NodeReads;
  // Many instances are launched at the same time, and a list of thousands of nodes is long.
  readonly #lists: TtlCache<readonly NodeOfInstance[]>;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#reads = new NodeReads(client, clock);
    this.#lists = new TtlCache(clock, () => seconds(5));
  }

  async findNode(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent"> {
    const named = await this.nodeNamed(instance, names);
    return named === "absent" ? this.#search(instance) : named;
  }

  async nodeNamed(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent"> {
    const isOwn = (node: Node): boolean => names.includes(node.name) && runsOn(node, instance);
    const listed = (await this.#reads.listed(names)).find(isOwn);
    if (listed !== undefined) return listed;
    for (const name of names) {
      const node = await this.node(name);
      if (node !== "absent" && isOwn(node)) return node;
    }
    return "absent";
  }

  async nodeNameOf(instance: InstanceId): Promise<NodeName | "absent"> {
    const [name = "absent"] = await this.#namesAmong(allNodes, instance);
    return name;
  }

  cordonedNodes(): Promise<readonly CordonedNode[]> {
    return this.#client.ask("listing cordoned nodes", async (connection) => {
      const { path, query } = cordonedNodes;
      const form = { query, accept: metadataOnly };
      const page = await readJson<PageSent<Pick<V1Node, "metadata">>>(connection, path, form);
      return itemsIn("cordoned nodes", page).map(({ metadata }) => ({
        name: nodeName(metadata?.name ?? ""),
        annotations: metadata?.annotations ?? {},
        labels: metadata?.labels ?? {},
      }));
    });
  }

  async nodesOf(instance: InstanceId, among: "all" | "cordoned"): Promise<readonly Node[]> {
    const names = await this.#namesAmong(among === "all" ? allNodes : cordonedNodes, instance);
    const found = await Promise.all(names.map((name) => this.nodeNamed(instance, [name])));
    return found.filter((node) => node !== "absent");
  }

  async #namesAmong(nodes: Collection<Node>, instance: InstanceId): Promise<readonly NodeName[]> {
    const all = await this.#lists.recall(nodes.title, () => this.#list(nodes));
    return all.filter((node) => runsOn(node, instance)).map(({ name }) => name);
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

  async node(name: NodeName): Promise<Node | "absent"> {
    return this.#client.ask(`reading node ${name}`, async (connection) => {
      const read = readJson<AsSent<V1Node>>(connection, nodePath(name));
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

  mark(node: Node, change: () => Marking | Unmarking): Promise<NodeWrite> {
    const { name } = node;
    const path = nodePath(name);
    return this.#client.ask(`marking node ${name}`, (connection) => {
      // Each try makes its own mark.
      const wanted = change();
      const patch = { method: "PATCH", path, body: nodePatch(node, wanted), type: merged } as const;
      return unlessChanged(sendRequest(connection, patch), (answer) =>
        shows(nodeOf(sentIn(answer)), wanted) ? "marked" : "changed",
      );
    });
  }

  removeNode({ name, uid, resourceVersion }: Node): Promise<NodeRemoval> {
    const body = { preconditions: { uid, resourceVersion } };
    const request = { method: "DELETE", path: nodePath(name), body } as const;
    return this.#client.ask(`removing node ${name}`, (connection) =>
      unlessChanged(sendRequest(connection, request), (answer) =>
        sentIn(answer).kind === "Node" ? "kept" : "removed",
      ),
    );
  }
}

const sentIn = ({ body }: KubeAnswer): AsSent<V1Node> => Object(JSON.parse(body));

/** Whether a node shows a change: a webhook may undo a write that the API server has taken. */
const shows = (node: Node, { labels, annotations, unschedulable, taints }: Marking | Unmarking) =>
  hasAll(node.labels, labels) &&
  hasAll(node.annotations, annotations) &&
  (unschedulable === "as it is" || node.unschedulable === unschedulable) &&
  (taints === "as they are" ||
    taints.every((one) => node.taints.some((its) => isSameTaint(its, one))));

const hasAll = (found: Labels, wanted: Readonly<Record<string, string | null>>): boolean =>
  Object.entries(wanted).every(([key, value]) => (found[key] ?? null) === value);

const merged = "application/merge-patch+json";

/** The merge patch that marks or unmarks a node, if it was not written since it was read. */
function nodePatch({ uid, resourceVersion }: Node, change: Marking | Unmarking) {
  const { labels, annotations, unschedulable, taints } = change;
  const spec = {
    ...(unschedulable === "as it is" ? {} : { unschedulable }),
    ...(taints === "as they are" ? {} : { taints: taints.map(taintBody) }),
  };
  return { metadata: { uid, resourceVersion, labels, annotations }, spec };
}

const taintBody = ({ key, value, effect, timeAdded }: Taint) => ({
  key,
  effect,
  ...(value === "" ? {} : { value }),
  ...(timeAdded === "" ? {} : { timeAdded }),
});
