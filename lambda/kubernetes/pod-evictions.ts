import { type Duration, seconds, wholeSeconds } from "../base/time.ts";
import type { Eviction, Grace } from "../drain/eviction.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import { ConnectionError } from "../http/connection-error.ts";
import { pathIn } from "./core-path.ts";
import { evictionOf } from "./eviction-of.ts";
import type { KubeClient } from "./kube-client.ts";
import { kubeFault, tryRefusal } from "./kube-fault.ts";
import { type KubeRequest, sendRequest } from "./send-request.ts";

/** Evicts a pod, and no other pod that has taken its name; `try` only asks what the answer would be. */
export function evictPod(client: KubeClient, pod: Pod, grace: Grace | "try"): Promise<Eviction> {
  const { namespace, name } = pod;
  const metadata = { namespace, name };
  const deleteOptions = grace === "try" ? triedOnly(pod) : deleteOptionsFor(pod, grace);
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
  // Admission reads the query, the eviction itself reads the body too.
  const query = grace === "try" ? "?dryRun=All" : "";
  const path = pathIn(namespace, "pods", name, "eviction") + query;
  return sendOnce(client, pod, { method: "POST", path, body });
}

const triedOnly = (pod: Pod) => ({ ...deleteOptionsFor(pod, "own"), dryRun: ["All"] });

/** Deletes a pod, and no other pod that has taken its name. */
export function deletePod(client: KubeClient, pod: Pod, grace: Duration): Promise<Eviction> {
  const { namespace, name } = pod;
  const path = pathIn(namespace, "pods", name);
  const body = deleteOptionsFor(pod, grace);
  return sendOnce(client, pod, { method: "DELETE", path, body });
}

// The API server works on an eviction for up to 34 seconds.
const limit = seconds(40);

/** Sends a request once, and gives each answer its meaning. */
async function sendOnce(client: KubeClient, pod: Pod, request: KubeRequest): Promise<Eviction> {
  try {
    await client.once((connection) => sendRequest(connection, request, { limit }));
    return { kind: "accepted" };
  } catch (cause) {
    const refusal = tryRefusal(cause);
    if (refusal !== undefined && refusal.code !== 401) return evictionOf(podTitle(pod), refusal);
    const unclear = cause instanceof ConnectionError && cause.reason !== "tls";
    if (unclear) return { kind: "unclear", message: cause.message, retryAfter: "unsaid" };
    throw kubeFault(`evicting ${podTitle(pod)}`, cause);
  }
}

const deleteOptionsFor = ({ uid }: Pod, grace: Grace) => ({
  preconditions: { uid },
  ...(grace === "own" ? {} : { gracePeriodSeconds: Math.max(1, wholeSeconds(grace)) }),
});
