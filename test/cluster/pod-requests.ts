import type { AuditEntry } from "./audit-log.ts";
import { deleteOptionsSchema, evictionSchema } from "./delete-options-schema.ts";

/** An eviction or deletion of a pod in the audit log. */
export interface PodRequest {
  /** When the API server answered. */
  readonly at: number;
  readonly verb: "evict" | "delete";
  readonly pod: string;
  /** The UID of the pod that the request means; empty if it means any pod of that name. */
  readonly uid: string;
  /** The grace in seconds; `own` for the pod's own. */
  readonly grace: number | "own";
  readonly code: number;
}

/** Reads the evictions and deletions of pods in a namespace, in the order of their answers. */
export function podRequests(
  entries: readonly AuditEntry[],
  namespace: string,
): readonly PodRequest[] {
  return (
    entries
      .filter((entry) => entry.resource === "pods" && entry.namespace === namespace)
      // A plan asks before the drain what would be refused.
      .filter(({ uri }) => !uri.includes("dryRun=All"))
      .filter(({ stage, verb }) => stage === "ResponseComplete" && /create|delete/.test(verb))
      // Controllers delete without a body.
      .filter(({ requestObject }) => requestObject !== undefined)
      .map(requestOf)
  );
}

function requestOf({ at, subresource, name = "", code = 0, requestObject }: AuditEntry) {
  const evicts = subresource === "eviction";
  const { gracePeriodSeconds: grace = "own" as const, preconditions } = evicts
    ? evictionSchema.parse(requestObject).deleteOptions
    : deleteOptionsSchema.parse(requestObject);
  const verb: PodRequest["verb"] = evicts ? "evict" : "delete";
  return { at: Date.parse(at), verb, pod: name, uid: preconditions?.uid ?? "", grace, code };
}
