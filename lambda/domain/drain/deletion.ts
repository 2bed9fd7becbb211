import type { Pod } from "../pod/pod.ts";
import { seconds } from "../time.ts";
import { remainingGrace } from "./force.ts";
import type { Snapshot } from "./next-step.ts";
import { isUnreachable } from "./pod-class.ts";
import type { Asking } from "./pod-request.ts";

/** Asks for a pod's deletion with what is left of its grace; nobody on a silent node could make use of it. */
export const deletionOf = (pod: Pod, { node, now, deadline }: Snapshot): Asking => ({
  verb: "delete",
  pod,
  grace: isUnreachable(node) ? seconds(1) : remainingGrace(pod, now, deadline),
  budgetVersion: "",
});
