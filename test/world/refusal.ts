import type { KubeFault } from "../../sandbox/cluster/api/planned-faults.ts";
import type { Fault } from "./fault-plan.ts";

/** A refusal of the API server, as a Status of a code that says why. */
export const refusal = (code: number, message: string): KubeFault => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code },
});

/** The refusal of a namespace that is on its way out. */
export const namespaceTerminating: KubeFault = {
  status: 403,
  body: {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: "unable to create new content in namespace default because it is being terminated",
    reason: "Forbidden",
    details: {
      causes: [
        { reason: "NamespaceTerminating", message: "namespace default is being terminated" },
      ],
    },
    code: 403,
  },
};

/** Whether that is what becomes of a request. */
export const isClosing = (fault: Fault): boolean =>
  fault.kind === "cluster-fault" && fault.fault === namespaceTerminating;
