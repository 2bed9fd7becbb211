import type { AuditEntry } from "./audit-log.ts";
import { deleteOptionsSchema, evictionSchema } from "./delete-options-schema.ts";

/** A request that a pod may go, as the audit log has it. */
export interface PodRequest {
  /** When it was answered. */
  readonly at: number;
  readonly verb: "evict" | "delete";
  readonly pod: string;
  /** Which pod of that name is meant; empty when any is. */
  readonly uid: string;
  /** In seconds; `own` when it is the pod's. */
  readonly grace: number | "own";
  readonly code: number;
}

/** Reads the evictions and deletions of pods in a namespace, in the order of their answers. */
export function podRequests(
  entries: readonly AuditEntry[],
  namespace: string,
): readonly PodRequest[] {
  return entries
    .filter((entry) => entry.resource === "pods" && entry.namespace === namespace)
    .filter(({ stage, verb }) => stage === "ResponseComplete" && /create|delete/.test(verb))
    .map(requestOf);
}

function requestOf({ at, subresource, name = "", code = 0, requestObject }: AuditEntry) {
  const evicts = subresource === "eviction";
  const { gracePeriodSeconds: grace = "own" as const, preconditions } = evicts
    ? evictionSchema.parse(requestObject).deleteOptions
    : deleteOptionsSchema.parse(requestObject);
  const verb: PodRequest["verb"] = evicts ? "evict" : "delete";
  return { at: Date.parse(at), verb, pod: name, uid: preconditions?.uid ?? "", grace, code };
}
