import type { NodeName } from "../base/ids.ts";
import { hours, type Instant, later } from "../base/time.ts";
import type { DrainMark, KnownDrain } from "./room-scene.ts";

const memory = hours(1);

/** The drains of this process. The mark of a node does not say whether its drain forces pods, and that of a drain at a terminal not even its deadline. */
export class KnownDrains {
  readonly #known = new Map<string, KnownDrain & { readonly at: Instant }>();

  /** Notes how long the drain of a node waits for the pods of a workload. */
  note(node: NodeName, workload: string, drain: KnownDrain, at: Instant): void {
    for (const [key, known] of this.#known)
      if (at >= later(known.at, memory)) this.#known.delete(key);
    this.#known.set(keyOf(node, workload), { ...drain, at });
  }

  /** Adds to the marks of nodes what is known of their drains. A node that has been marked since is drained by another one. */
  marksFor(
    workload: string,
    draining: ReadonlyMap<NodeName, DrainMark>,
  ): ReadonlyMap<NodeName, DrainMark> {
    return new Map(
      Array.from(draining, ([node, mark]) => {
        const known = this.#known.get(keyOf(node, workload));
        const isSame = known !== undefined && known.at >= mark.at;
        return [node, isSame ? { ...mark, drain: known } : mark];
      }),
    );
  }
}

const keyOf = (node: NodeName, workload: string): string => `${node} ${workload}`;
