import { earliest, type Instant, instant, later } from "../base/time.ts";
import type { DrainPorts } from "./drain.port.ts";
import { leaseDuration, tryLease } from "./eviction-lease.ts";
import type { Node } from "./node.ts";

/**
 * Until when another process may evict the pods of a node; a time that has passed where none may.
 *
 * A turn lasts no longer than turns do, from when this process has first seen it, whatever the clock of the other one says.
 */
export function othersTurnEnds(
  node: Pick<Node, "annotations" | "uid">,
  { process, sightings }: Pick<DrainPorts, "process" | "sightings">,
): Instant {
  const turn = tryLease(node);
  if (turn === undefined || turn.process === process) return instant(0);
  const known = sightings.since(`turn at ${node.uid}`, `${turn.process} ${turn.until}`);
  return earliest(turn.until, later(known, leaseDuration));
}
