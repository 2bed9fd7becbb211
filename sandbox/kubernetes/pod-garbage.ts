import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { nodes, pods } from "./core-resources.ts";
import { disrupted } from "./deletion.ts";
import { terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { type Node, nodeReady } from "./node.ts";
import type { Pod } from "./pod.ts";
import { refTo } from "./resource.ts";
import type { Wake } from "./wake.ts";

/** How long a node must be gone: 40 s of quarantine and one round of 20 s. */
const patience = seconds(60);
const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

const outOfService = "node.kubernetes.io/out-of-service";
const isLost = (node: Node): boolean =>
  !nodeReady(node) && node.spec.taints?.some(({ key }) => key === outOfService) === true;

interface NodeSight {
  /** The names of all nodes, and of those that are out of service. */
  readonly present: ReadonlySet<string>;
  readonly lost: ReadonlySet<string>;
  readonly now: Instant;
}

/** Fails and removes pods whose node has been gone for a while, and those that end on a node that is out of service. */
export class PodGarbage {
  readonly #machinery: Machinery;
  readonly #goneSince = new Map<string, Instant>();
  readonly #wake: Wake;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    this.#wake = reconcile(machinery, [nodes, pods], () => this.#work());
  }

  #work(): void {
    const { store, timeline } = this.#machinery;
    const now = timeline.now();
    const all = store.list(nodes);
    const present = new Set(all.map(({ metadata }) => metadata.name));
    const lost = new Set(all.filter(isLost).map(({ metadata }) => metadata.name));
    for (const name of this.#goneSince.keys()) if (present.has(name)) this.#goneSince.delete(name);
    for (const pod of store.list(pods).filter(({ spec }) => Boolean(spec.nodeName)))
      this.#look(pod, { present, lost, now });
  }

  #look(pod: Pod, { present, lost, now }: NodeSight): void {
    const { nodeName = "" } = pod.spec;
    if (!present.has(nodeName)) this.#consider(pod, nodeName, now);
    else if (lost.has(nodeName) && terminating(pod)) this.#remove(pod, now);
  }

  #consider(pod: Pod, node: string, now: Instant): void {
    const since = this.#goneSince.get(node) ?? now;
    this.#goneSince.set(node, since);
    const due = later(since, patience);
    if (due > now) this.#wake.at(due);
    else this.#remove(pod, now);
  }

  #remove(pod: Pod, now: Instant): void {
    const { store, deleter } = this.#machinery;
    const failed = store.update(refTo(pods, pod), (current): Pod => {
      const marked = disrupted(current, why, now);
      return { ...marked, status: { ...marked.status, phase: "Failed" } };
    });
    deleter.tryDelete(pods, failed, 0);
  }
}
