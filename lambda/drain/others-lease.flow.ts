import { earliest, type Instant, instant, later } from "../base/time.ts";
import type { DrainPorts } from "./drain.port.ts";
import { leaseDuration, tryLease } from "./eviction-lease.ts";
import type { Node } from "./node.ts";

/**
 * Until when another process may evict the pods of a node; a time that has passed where none may.
 *
 * Another process's lease ends at most its usual time after this process first saw it, whatever the other clock says.
 */
export function othersLeaseEnds(
  node: Pick<Node, "annotations" | "uid">,
  { process, sightings }: Pick<DrainPorts, "process" | "sightings">,
): Instant {
  const lease = tryLease(node);
  if (lease === undefined || lease.process === process) return instant(0);
  const known = sightings.since(node.uid, "the lease", `${lease.process} ${lease.until}`);
  return earliest(lease.until, later(known, leaseDuration));
}
