import type { V1PersistentVolumeClaim, V1Pod } from "@kubernetes/client-node";
import type { Clock } from "../base/clock.port.ts";
import type { NodeName } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";
import type {
  AttachmentsView,
  Cluster,
  DrainView,
  NodePods,
  NodesView,
  WantedAttachments,
} from "../drain/drain.port.ts";
import type { Evicted, Eviction, Grace } from "../drain/eviction.ts";
import { type Pod, type PodLookup, podTitle } from "../drain/pod.ts";
import { LongAnswer } from "../http/long-answer.ts";
import { daemonSetPath, isName, pathIn } from "./api-path.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { drainView, nodesView } from "./drain-view.ts";
import type { InformerTools } from "./informer.ts";
import type { KubeClient } from "./kube-connection.ts";
import { absentIfNotFound, kubeFault } from "./kube-fault.ts";
import { KubeNodes } from "./kube-nodes.ts";
import { readWithin } from "./listed-within.ts";
import { deletePod, evictPod } from "./pod-evictions.ts";
import { podsOf } from "./pod-lists.ts";
import { podOf } from "./pod-of.ts";
import { metadataOfOne, readJson } from "./send-request.ts";
import { SharedAttachments } from "./shared-attachments.ts";
import { SharedBudgets } from "./shared-budgets.ts";

// Others write objects of 1.5 MB. A refusal is far shorter than this, so a longer answer is an object.
const whetherThere = { accept: metadataOfOne, most: 65_536 } as const;

// A claim has some 2 kB, and each drain reads twenty at once. The volume of a larger one counts as left behind.
const asClaim = { most: 262_144 } as const;

const goesOn = () => Promise.resolve(false);

function absentIfLong(cause: unknown): "absent" {
  if (cause instanceof LongAnswer) return "absent";
  throw cause;
}

/** A cluster, over the Kubernetes API. */
export class KubeCluster extends KubeNodes implements Cluster {
  readonly #client: KubeClient;
  readonly #tools: InformerTools;
  readonly #budgets: SharedBudgets;
  readonly #attachments: SharedAttachments;

  constructor(client: KubeClient, clock: Clock) {
    super(client, clock);
    this.#client = client;
    this.#tools = { client, clock };
    this.#budgets = new SharedBudgets(this.#tools);
    this.#attachments = new SharedAttachments(this.#tools);
  }

  async pods(node: NodeName): Promise<NodePods> {
    const { items: pods, leftOut } = await readWithin(this.#client, podsOf(node));
    return { pods, leftOut };
  }

  async daemonSet(namespace: string, name: string): Promise<"there" | "absent" | "unclear"> {
    if (!isName(name)) return "absent";
    try {
      const read = await this.#client.once((connection) =>
        absentIfNotFound(readJson(connection, daemonSetPath(namespace, name), whetherThere)),
      );
      return read === "absent" ? "absent" : "there";
    } catch (cause) {
      if (cause instanceof LongAnswer) return "there";
      // Whatever the reason, the pods of this DaemonSet are left alone.
      return "unclear";
    }
  }

  follow(node: NodeName, wakeup: Wakeup): Promise<DrainView> {
    return drainView(node, { ...this.#tools, budgets: this.#budgets, wakeup });
  }

  followNodes(names: readonly NodeName[], wakeup: Wakeup): Promise<NodesView> {
    return nodesView(names, { ...this.#tools, wakeup });
  }

  async followAttachments(wanted: WantedAttachments, wakeup: Wakeup): Promise<AttachmentsView> {
    const { items, close } = await this.#attachments.follow(wanted, wakeup);
    return { attachments: items, close };
  }

  volumeOf(namespace: string, claim: string): Promise<string> {
    return this.#client.ask(`reading claim ${namespace}/${claim}`, async (connection) => {
      const path = pathIn(namespace, "persistentvolumeclaims", claim);
      const read = readJson<AsSent<V1PersistentVolumeClaim>>(connection, path, asClaim);
      const found = await absentIfNotFound(read).catch(absentIfLong);
      // An editor of a namespace may have a claim name the volume of another; only one that is bound has its volume.
      const isBound = found !== "absent" && found.status?.phase === "Bound";
      return isBound ? (found.spec?.volumeName ?? "") : "";
    });
  }

  async lookUp(pod: Pod): Promise<PodLookup> {
    const { namespace, name, uid, node } = pod;
    // The function has the right to list pods, but not to get one.
    const fieldSelector = `metadata.name=${name},spec.nodeName=${node}`;
    try {
      const page = await this.#client.once((connection) =>
        readJson<PageSent<V1Pod>>(connection, pathIn(namespace, "pods"), {
          query: { fieldSelector },
        }),
      );
      const found = itemsIn("pods", page)
        .map(podOf)
        .find((seen) => seen.uid === uid);
      return found === undefined ? { kind: "gone" } : { kind: "there", pod: found };
    } catch (cause) {
      const { message } = kubeFault(`reading pod ${podTitle(pod)}`, cause);
      return { kind: "unclear", message, retryAfter: "unsaid" };
    }
  }

  evict(pod: Pod, grace: Grace, holdsBack = goesOn): Promise<Evicted> {
    return this.#budgets.evicting(pod, async () =>
      (await holdsBack()) ? { kind: "held-back" } : evictPod(this.#client, pod, grace),
    );
  }

  tryEviction(pod: Pod): Promise<Eviction> {
    return evictPod(this.#client, pod, "try");
  }

  remove(pod: Pod, grace: Duration): Promise<Eviction> {
    return deletePod(this.#client, pod, grace);
  }
}
