import type { Cluster } from "./cluster.port.ts";
import type { Eviction } from "./eviction.ts";
import type { Attempt } from "./ledger.ts";
import { isTerminating } from "./pod-class.ts";
import type { PodRequest } from "./snapshot.ts";

/**
 * Evicts one pod, or deletes it by force.
 *
 * Before a second eviction the drain looks up the pod: if the pod is gone or terminating, another eviction would still
 * use up its budget. Three cases need no look-up: after throttling the last request did not get through, a budget
 * that refused has taken nothing, and a deletion cannot wait because of the deadline.
 */
export async function evictOrDelete(
  request: PodRequest,
  last: Attempt | undefined,
  cluster: Cluster,
): Promise<Eviction> {
  if (request.verb === "delete") return cluster.remove(request.pod, request.grace);
  const seen = hasNoEffect(last) ? "as known" : await cluster.lookUp(request.pod);
  if (seen === "as known") return cluster.evict(request.pod, request.grace);
  if (seen.kind !== "there") return seen;
  return isTerminating(seen.pod) ? { kind: "accepted" } : cluster.evict(request.pod, request.grace);
}

const hasNoEffect = (last: Attempt | undefined): boolean =>
  last === undefined || ["blocked", "throttled"].includes(last.answer.kind);
