import { pods } from "./core-resources.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Pod } from "./pod.ts";

/** Which pods are on which node, kept up to date. */
export class PodsByNode {
  readonly #pods = new Map<string, Map<string, Pod>>();

  constructor(store: ObjectStore) {
    store.subscribe(({ resource, before, after }) => {
      if (resource !== pods) return;
      this.#forget(before as Pod | undefined);
      this.#learn(after as Pod | undefined);
    });
  }

  /** The pods on a node, in the order in which they came. */
  on(node: string): readonly Pod[] {
    return [...(this.#pods.get(node)?.values() ?? [])];
  }

  #learn(pod: Pod | undefined): void {
    const node = pod?.spec.nodeName;
    if (pod === undefined || !node) return;
    const here = this.#pods.get(node) ?? new Map<string, Pod>();
    this.#pods.set(node, here.set(pod.metadata.uid, pod));
  }

  #forget(pod: Pod | undefined): void {
    const node = pod?.spec.nodeName ?? "";
    const here = this.#pods.get(node);
    here?.delete(pod?.metadata.uid ?? "");
    if (here?.size === 0) this.#pods.delete(node);
  }
}
