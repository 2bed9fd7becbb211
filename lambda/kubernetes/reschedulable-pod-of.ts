import type { V1Pod } from "@kubernetes/client-node";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { AsSent } from "./as-sent.ts";
import { demandsOf } from "./demands.ts";
import { podOf } from "./pod-of.ts";
import { requestsOf } from "./requests.ts";

/** Reads of a pod of the Kubernetes API what decides where it may go; nothing is known of the volumes behind its claims. */
export const reschedulablePodOf = (sent: AsSent<V1Pod>): ReschedulablePod => ({
  pod: podOf(sent),
  requests: requestsOf(sent.spec ?? { containers: [] }),
  demands: demandsOf(sent.spec ?? { containers: [] }),
});
