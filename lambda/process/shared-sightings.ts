import type { Clock } from "../base/clock.port.ts";
import type { InstanceId, NodeUid } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Sightings } from "../drain/drain.port.ts";

interface Sighting {
  readonly said: string;
  readonly since: Instant;
}

// More than the nodes that one process works on, and than the conditions that agents give a node.
const [mostNodes, mostOfNode] = [5000, 50];

/** Since when this process knows what nodes and others say of them; it forgets the node that it has not looked at for longest, and of a node what was said first. */
export class SharedSightings implements Sightings {
  readonly #clock: Pick<Clock, "now">;
  readonly #known = new Map<InstanceId | NodeUid, Map<string, Sighting>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  since(one: InstanceId | NodeUid, about: string, said: string): Instant {
    const known = this.#known.get(one) ?? new Map<string, Sighting>();
    putLast(this.#known, one, known, mostNodes);
    const before = known.get(about);
    if (before?.said === said) return before.since;
    const since = this.#clock.now();
    putLast(known, about, { said, since }, mostOfNode);
    return since;
  }
}

function putLast<Key, Value>(all: Map<Key, Value>, key: Key, value: Value, most: number): void {
  all.delete(key);
  all.set(key, value);
  for (const first of all.keys()) {
    if (all.size <= most) return;
    all.delete(first);
  }
}
