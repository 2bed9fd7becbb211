import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import type { Fault } from "./fault-plan.ts";

/** A refusal of the API server: a Status with a code and a message. */
export const refusal = (code: number, message: string): KubeFault => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code },
});

/** The refusal of an eviction in a terminating namespace. */
export const inEndingNamespace = (namespace: string, pod: string): KubeFault => ({
  status: 403,
  body: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `pods "${pod}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    reason: "Forbidden",
    details: {
      name: pod,
      kind: "pods",
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${namespace} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
    code: 403,
  },
});

/** That refusal in the namespace that most tests use. */
export const namespaceTerminating: KubeFault = inEndingNamespace("default", "web");

/** Whether a fault is that refusal. */
export const isClosing = (fault: Fault): boolean =>
  fault.kind === "cluster-fault" && fault.fault === namespaceTerminating;

/** How many seconds a throttled client has to wait; `undefined` if the fault is no throttling. */
export function tryPause(fault: Fault): number | undefined {
  const isAnswer = fault.kind === "cluster-fault" && typeof fault.fault === "object";
  if (!isAnswer || !("status" in fault.fault) || fault.fault.status !== 429) return undefined;
  return Number(fault.fault.headers?.["retry-after"]);
}
