import type { Attempt } from "../../domain/drain/ledger.ts";
import { isTerminating } from "../../domain/drain/pod-class.ts";
import type { PodRequest } from "../../domain/drain/snapshot.ts";
import type { Eviction } from "../../domain/pod/eviction.ts";
import type { Cluster } from "../../ports/cluster.ts";

/**
 * Asks one pod to go, by eviction or by force.
 *
 * Before a second eviction the pod is looked up: if it is gone or terminating, an eviction would still take from its
 * budget. Nobody looks after throttling, which has not let the last request through, or before a deletion, which the
 * deadline does not let wait.
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
  last === undefined || last.answer.kind === "throttled";
