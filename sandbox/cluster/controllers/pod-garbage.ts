import { type Instant, later, seconds } from "../../../lambda/domain/time.ts";
import { nodes, pods } from "../core-resources.ts";
import { disrupted } from "../disrupted.ts";
import type { Pod } from "../pod.ts";
import { refTo } from "../resource.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import type { Wake } from "./wake.ts";

/** How long a node must be gone: 40 s of quarantine and one round of 20 s. */
const patience = seconds(60);
const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

/** Fails and removes pods whose node has been gone for a while. */
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
    const present = new Set(store.list(nodes).map(({ metadata }) => metadata.name));
    for (const name of this.#goneSince.keys()) if (present.has(name)) this.#goneSince.delete(name);
    for (const pod of store.list(pods)) {
      const { nodeName } = pod.spec;
      if (nodeName && !present.has(nodeName)) this.#consider(pod, nodeName, timeline.now());
    }
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
