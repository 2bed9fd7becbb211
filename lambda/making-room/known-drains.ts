import type { NodeName } from "../base/ids.ts";
import { hours, type Instant, later } from "../base/time.ts";
import type { DrainMark, KnownDrain } from "./room-scene.ts";

const memory = hours(1);

/** The drains of this process. The mark of a node does not say whether its drain forces pods, and that of a drain at a terminal not even its deadline. */
export class KnownDrains {
  readonly #known = new Map<string, { drain: KnownDrain; mark: DrainMark; at: Instant }>();

  /** Notes how long the drain of a node, which has this mark, waits for room for the pods of a workload. */
  note(
    { node, workload, mark }: { node: NodeName; workload: string; mark: DrainMark },
    drain: KnownDrain,
    at: Instant,
  ): void {
    for (const [key, known] of this.#known)
      if (at >= later(known.at, memory)) this.#known.delete(key);
    this.#known.set(keyOf(node, workload), { drain, mark, at });
  }

  /** Adds what is known of drains to the marks of their nodes. A mark that has changed since is that of another drain, or of another time. */
  marksFor(
    workload: string,
    draining: ReadonlyMap<NodeName, DrainMark>,
  ): ReadonlyMap<NodeName, DrainMark> {
    return new Map(
      Array.from(draining, ([node, mark]) => {
        const known = this.#known.get(keyOf(node, workload));
        const isSame = known?.mark.at === mark.at && known.mark.deadline === mark.deadline;
        return [node, isSame ? { ...mark, drain: known.drain } : mark];
      }),
    );
  }
}

const keyOf = (node: NodeName, workload: string): string => `${node} ${workload}`;
