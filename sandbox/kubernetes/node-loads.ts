import { controllerOf, terminating } from "./kube-object.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";

const ownerOf = (pod: Pod): string => controllerOf(pod)?.uid ?? "";

/** Counts the pods on each node, in total and by owner. */
export class NodeLoads {
  readonly #all = new Map<string, number>();
  readonly #owned = new Map<string, number>();

  constructor(pods: readonly Pod[]) {
    for (const pod of pods) if (pod.spec.nodeName) this.add(pod, pod.spec.nodeName);
  }

  /** Counts a pod on a node; a terminating pod does not keep its replacement off the node. */
  add(pod: Pod, node: string): void {
    this.#all.set(node, this.of(node) + 1);
    const key = `${ownerOf(pod)}@${node}`;
    if (!terminating(pod)) this.#owned.set(key, (this.#owned.get(key) ?? 0) + 1);
  }

  /** The number of pods on a node. */
  of(node: string): number {
    return this.#all.get(node) ?? 0;
  }

  /** The node with the fewest pods of the same owner; if several, the one with the fewest pods. */
  leastFor(pod: Pod, nodes: readonly Node[]): Node | undefined {
    const owner = ownerOf(pod);
    const loadOf = ({ metadata: { name } }: Node): readonly [number, number] => [
      this.#owned.get(`${owner}@${name}`) ?? 0,
      this.of(name),
    ];
    return nodes.reduce<Node | undefined>((best, node) => {
      if (best === undefined) return node;
      const [siblings, load] = loadOf(node);
      const [bestSiblings, bestLoad] = loadOf(best);
      return (siblings - bestSiblings || load - bestLoad) < 0 ? node : best;
    }, undefined);
  }
}
