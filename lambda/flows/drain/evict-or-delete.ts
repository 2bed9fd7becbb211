import type { Attempt } from "../../domain/drain/ledger.ts";
import { isTerminating } from "../../domain/drain/pod-class.ts";
import type { Asking } from "../../domain/drain/snapshot.ts";
import type { Eviction } from "../../domain/pod/eviction.ts";
import type { Cluster } from "../../ports/cluster.ts";

/**
 * Asks one pod to go.
 *
 * One that was asked before is looked at first: an eviction of what is gone, or goes already, would still take from
 * its budget. Throttling has not let the last request through, and the deadline does not wait for a look.
 */
export async function letGo(
  asking: Asking,
  last: Attempt | undefined,
  cluster: Cluster,
): Promise<Eviction> {
  if (asking.verb === "delete") return cluster.remove(asking.pod, asking.grace);
  const seen = isSettled(last) ? "as known" : await cluster.look(asking.pod);
  if (seen === "as known") return cluster.evict(asking.pod, asking.grace);
  if (seen.kind !== "there") return seen;
  return isTerminating(seen.pod) ? { kind: "accepted" } : cluster.evict(asking.pod, asking.grace);
}

const isSettled = (last: Attempt | undefined): boolean =>
  last === undefined || last.answer.kind === "throttled";
