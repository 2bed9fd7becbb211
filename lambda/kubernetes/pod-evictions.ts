import { Fault } from "../base/fault.ts";
import { type Duration, seconds, wholeSeconds } from "../base/time.ts";
import type { Eviction, Grace, RetryAfter } from "../drain/eviction.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import { pathIn } from "./api-path.ts";
import type { KubeClient } from "./kube-connection.ts";
import { kubeFault, tryRefusal } from "./kube-fault.ts";
import {
  isOfAdmission,
  isStatus,
  type RefusalStatus,
  type RefusedAnswer,
  readStatus,
} from "./refused-request.ts";
import { type KubeRequest, sendRequest } from "./send-request.ts";

/** Evicts a pod, and no other pod with the same name; `try` only asks for the answer in dry run. */
export function evictPod(client: KubeClient, pod: Pod, grace: Grace | "try"): Promise<Eviction> {
  const { namespace, name } = pod;
  const metadata = { namespace, name };
  const deleteOptions = grace === "try" ? triedOnly(pod) : deleteOptionsFor(pod, grace);
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata, deleteOptions };
  // Admission reads the query, the eviction itself reads the body too.
  const query = grace === "try" ? "?dryRun=All" : "";
  const path = pathIn(namespace, "pods", name, "eviction") + query;
  return sendOnce(client, `evicting ${podTitle(pod)}`, pod, { method: "POST", path, body });
}

const triedOnly = (pod: Pod) => ({ ...deleteOptionsFor(pod, "own"), dryRun: ["All"] });

/** Deletes a pod, and no other pod with the same name. */
export function deletePod(client: KubeClient, pod: Pod, grace: Duration): Promise<Eviction> {
  const { namespace, name } = pod;
  const path = pathIn(namespace, "pods", name);
  const body = deleteOptionsFor(pod, grace);
  return sendOnce(client, `deleting ${podTitle(pod)}`, pod, { method: "DELETE", path, body });
}

// The API server works on an eviction for up to 34 seconds.
const limit = seconds(40);

/** Sends a request once, and gives each answer its meaning. */
async function sendOnce(
  client: KubeClient,
  doing: string,
  { namespace: podOf }: Pod,
  request: KubeRequest,
): Promise<Eviction> {
  try {
    await client.once((connection) => sendRequest(connection, request, { limit, podOf }));
    return { kind: "accepted" };
  } catch (cause) {
    const refusal = tryRefusal(cause);
    if (refusal !== undefined && refusal.code !== 401) return evictionOf(doing, refusal);
    const unclear = cause instanceof ConnectionError && cause.reason !== "tls";
    if (unclear) return { kind: "unclear", message: cause.message, retryAfter: "unsaid" };
    throw kubeFault(doing, cause);
  }
}

const deleteOptionsFor = ({ uid }: Pod, grace: Grace) => ({
  preconditions: { uid },
  ...(grace === "own" ? {} : { gracePeriodSeconds: Math.max(1, wholeSeconds(grace)) }),
});

/**
 * Gives a refused eviction or deletion its meaning. `doing` says which, and of which pod.
 *
 * A 429 comes from a disruption budget only if the answer says so. A server that throttles or shuts down answers 429 as
 * well, and so do webhooks.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/registry/core/pod/storage/eviction.go
 */
export function evictionOf(doing: string, refusal: RefusedAnswer): Eviction {
  const status = readStatus(refusal.body);
  const { message } = status;
  const retryAfter = retryAfterOf(refusal, status);
  // Whatever its code, it is about this pod alone.
  if (isOfAdmission(status)) return { kind: "denied", message };
  switch (refusal.code) {
    case 404:
      return isStatus(refusal.body) ? { kind: "gone" } : other(404, status, retryAfter);
    case 409:
      return { kind: "conflict", message };
    case 429:
      return tryBlocked(status, retryAfter) ?? { kind: "throttled", message, retryAfter };
    case 403:
      return forbidden(doing, status);
    case 400:
    case 422:
      throw new Fault("cluster.refused", `${doing}: HTTP ${refusal.code} ${message}`);
    default:
      return other(refusal.code, status, retryAfter);
  }
}

/** A refusal by a disruption budget; only its cause names the budget. */
function tryBlocked(status: RefusalStatus, retryAfter: RetryAfter): Eviction | undefined {
  const cause = status.causes.find(({ reason }) => reason === "DisruptionBudget");
  if (cause === undefined) return undefined;
  return { kind: "blocked", message: cause.message || status.message, retryAfter };
}

// The budget's controller is behind: for example, 2,000 disruptions wait to be counted.
const untilBudgetsAreCounted = seconds(10);

function forbidden(doing: string, status: RefusalStatus): Eviction {
  const { message, causes, kind } = status;
  if (causes.some(({ reason }) => reason === "NamespaceTerminating"))
    return { kind: "namespace-terminating", message };
  const blocked = tryBlocked(status, untilBudgetsAreCounted);
  if (blocked !== undefined) return blocked;
  if (/^poddisruptionbudgets?$/i.test(kind))
    return { kind: "blocked", message, retryAfter: untilBudgetsAreCounted };
  if (/cannot (create resource "pods\/eviction"|delete resource "pods")/.test(message))
    throw new Fault("cluster.forbidden", `${doing}: ${message}`);
  return { kind: "denied", message };
}

function other(code: number, { message }: RefusalStatus, retryAfter: RetryAfter): Eviction {
  if (/more than one PodDisruptionBudget/.test(message))
    return { kind: "overlapping-budgets", message };
  const answer = `HTTP ${code} ${message}`;
  if (code < 500) return { kind: "denied", message: answer };
  return { kind: "unclear", message: answer, retryAfter };
}

function retryAfterOf(
  { retryAfter }: RefusedAnswer,
  { retryAfterSeconds }: RefusalStatus,
): RetryAfter {
  const header = /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : 0;
  const said = Math.max(header, retryAfterSeconds);
  return said > 0 ? seconds(said) : "unsaid";
}
