import type { Attempt } from "../../domain/drain/ledger.ts";
import { isTerminating } from "../../domain/drain/pod-class.ts";
import type { PodRequest } from "../../domain/drain/snapshot.ts";
import type { Eviction } from "../../domain/pod/eviction.ts";
import type { Cluster } from "../../ports/cluster.ts";

/**
 * Asks one pod to go.
 *
 * One that was asked before is looked at first: an eviction of what is gone, or goes already, would still take from
 * its budget. Throttling has not let the last request through, and the deadline does not wait for a look.
 */
export async function evictOrDelete(
  request: PodRequest,
  last: Attempt | undefined,
  cluster: Cluster,
): Promise<Eviction> {
  if (request.verb === "delete") return cluster.remove(request.pod, request.grace);
  const seen = isSettled(last) ? "as known" : await cluster.lookUp(request.pod);
  if (seen === "as known") return cluster.evict(request.pod, request.grace);
  if (seen.kind !== "there") return seen;
  return isTerminating(seen.pod) ? { kind: "accepted" } : cluster.evict(request.pod, request.grace);
}

const isSettled = (last: Attempt | undefined): boolean =>
  last === undefined || last.answer.kind === "throttled";
