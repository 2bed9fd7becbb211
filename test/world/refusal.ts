import type { KubeFault } from "../../sandbox/cluster/api/planned-faults.ts";

/** A refusal of the API server, as a Status of a code that says why. */
export const refusal = (code: number, message: string): KubeFault => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", message, code },
});
