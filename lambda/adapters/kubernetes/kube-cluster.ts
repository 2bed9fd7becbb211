import { AppsV1Api, CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import type { InstanceId, NodeName } from "../../domain/ids.ts";
import type { Marking, Unmarking } from "../../domain/node/marking.ts";
import { type Node, runsOn, type Taint } from "../../domain/node/node.ts";
import type { Eviction, Grace } from "../../domain/pod/eviction.ts";
import { type Pod, type PodLookup, podTitle } from "../../domain/pod/pod.ts";
import { type Duration, seconds, wholeSeconds } from "../../domain/time.ts";
import type { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  AttachmentsView,
  Cluster,
  DrainView,
  NodesView,
  NodeWrite,
} from "../../ports/cluster.ts";
import { ConnectionError } from "../http/connection-error.ts";
import type { KubeCall, KubeClient } from "./connection/kube-client.ts";
import type { KubeConnection } from "./connection/kube-connection.ts";
import { kubeFault, tryRefusal } from "./connection/kube-fault.ts";
import { evictionOf } from "./objects/eviction-of.ts";
import { nodeOf } from "./objects/node-of.ts";
import { podOf } from "./objects/pod-of.ts";
import { listAll } from "./watch/collection.ts";
import { allNodes, attachments } from "./watch/collections.ts";
import { drainView } from "./watch/drain-view.ts";
import { Informer } from "./watch/informer.ts";
import { nodesView } from "./watch/nodes-view.ts";

// The API server works on an eviction for up to 34 seconds.
const evictionLimit = seconds(40);

/** A cluster, over the Kubernetes API. */
export class KubeCluster implements Cluster {
  readonly #client: KubeClient;
  readonly #clock: Clock;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async findNode(instance: InstanceId, names: readonly NodeName[]): Promise<Node | "absent"> {
    for (const name of names) {
      const node = await this.node(name);
      if (node !== "absent" && runsOn(node, instance)) return node;
    }
    const all = await this.nodes();
    return all.find((node) => runsOn(node, instance)) ?? "absent";
  }

  async node(name: NodeName): Promise<Node | "absent"> {
    return this.#client.ask(`reading node ${name}`, async (connection) => {
      const read = core(connection).readNode({ name });
      const found = await absentIfNotFound(read);
      return found === "absent" ? found : nodeOf(found);
    });
  }

  nodes(): Promise<readonly Node[]> {
    return this.#client.ask("listing nodes", async (connection) => {
      const { items } = await listAll(allNodes, connection);
      return items;
    });
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
        await core(connection).patchNode({ name, body: patchOf(node, change()) }, mergePatch);
        return "marked";
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
      // Whatever the reason, its pods are left alone.
      return "unclear";
    }
  }

  follow(node: NodeName, bell: Bell): Promise<DrainView> {
    return drainView(node, { client: this.#client, clock: this.#clock, bell });
  }

  followNodes(names: readonly NodeName[], bell: Bell): Promise<NodesView> {
    return nodesView(names, { client: this.#client, clock: this.#clock, bell });
  }

  async followAttachments(bell: Bell): Promise<AttachmentsView> {
    const following = { client: this.#client, clock: this.#clock, bell };
    const follower = new Informer(attachments, following);
    await follower.start();
    return { attachments: () => follower.items(), close: () => follower.close() };
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
    // By a list of one: the function may list pods, and get none.
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

  async evict(pod: Pod, grace: Grace): Promise<Eviction> {
    const { namespace, name, uid } = pod;
    const metadata = { namespace, name };
    const body = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata,
      deleteOptions: { preconditions: { uid }, ...gracePeriod(grace) },
    };
    return this.#letGo(pod, (connection) =>
      slow(connection).createNamespacedPodEviction({ ...metadata, body }),
    );
  }

  async remove(pod: Pod, grace: Duration): Promise<Eviction> {
    const { namespace, name, uid } = pod;
    const body = { preconditions: { uid }, ...gracePeriod(grace) };
    return this.#letGo(pod, (connection) =>
      slow(connection).deleteNamespacedPod({ namespace, name, body }),
    );
  }

  async #letGo(pod: Pod, call: KubeCall<unknown>): Promise<Eviction> {
    try {
      await this.#client.once(call);
      return { kind: "accepted" };
    } catch (cause) {
      const refusal = tryRefusal(cause);
      if (refusal !== undefined && refusal.code !== 401) return evictionOf(podTitle(pod), refusal);
      const unclear = cause instanceof ConnectionError && cause.reason !== "tls";
      if (unclear) return { kind: "unclear", message: cause.message, retryAfter: "unsaid" };
      throw kubeFault(`evicting ${podTitle(pod)}`, cause);
    }
  }
}

const core = (connection: KubeConnection): CoreV1Api => new CoreV1Api(connection.configuration());

const slow = (connection: KubeConnection): CoreV1Api =>
  new CoreV1Api(connection.configuration({ limit: evictionLimit }));

/** What a change writes, if the node is still as it was read. */
function patchOf({ uid, resourceVersion }: Node, change: Marking | Unmarking) {
  const { labels, annotations, unschedulable, taints } = change;
  const spec = {
    ...(unschedulable === "as it is" ? {} : { unschedulable }),
    ...(taints === "as they are" ? {} : { taints: taints.map(writtenTaint) }),
  };
  return { metadata: { uid, resourceVersion, labels, annotations }, spec };
}

const writtenTaint = ({ key, value, effect, timeAdded }: Taint) => ({
  key,
  effect,
  ...(value === "" ? {} : { value }),
  ...(timeAdded === "" ? {} : { timeAdded }),
});

const mergePatch = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

const gracePeriod = (grace: Grace) =>
  grace === "own" ? {} : { gracePeriodSeconds: Math.max(1, wholeSeconds(grace)) };

async function absentIfNotFound<T>(read: Promise<T>): Promise<T | "absent"> {
  try {
    return await read;
  } catch (cause) {
    if (tryRefusal(cause)?.code === 404) return "absent";
    throw cause;
  }
}
