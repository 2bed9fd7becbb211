import { Fault } from "../base/fault.ts";
import { seconds } from "../base/time.ts";
import type { Eviction, RetryAfter } from "../drain/eviction.ts";
import type { Refusal } from "./refusal.ts";
import { isStatus, readStatus, type Status } from "./status-schema.ts";

/**
 * Gives a refused eviction its meaning.
 *
 * A 429 comes from a disruption budget only if the answer says so. A server that throttles or shuts down answers 429 as
 * well, and so do webhooks.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/registry/core/pod/storage/eviction.go
 */
export function evictionOf(pod: string, refusal: Refusal): Eviction {
  const status = readStatus(refusal.body);
  const { message } = status;
  const retryAfter = retryAfterOf(refusal, status);
  if (isOfWebhook(status)) return { kind: "denied", message };
  switch (refusal.code) {
    case 404:
      return isStatus(refusal.body) ? { kind: "gone" } : other(404, status, retryAfter);
    case 409:
      return { kind: "conflict", message };
    case 429:
      return tryBlocked(status, retryAfter) ?? { kind: "throttled", message, retryAfter };
    case 403:
      return forbidden(pod, status);
    case 400:
    case 422:
      throw new Fault("cluster.refused", `evicting ${pod}: HTTP ${refusal.code} ${message}`);
    default:
      return other(refusal.code, status, retryAfter);
  }
}

// A webhook may answer with any status code; its answer is about this pod alone.
const isOfWebhook = ({ message }: Status): boolean =>
  /^admission webhook ".*" denied the request/.test(message);

/** A refusal by a disruption budget; only its cause names the budget. */
function tryBlocked(status: Status, retryAfter: RetryAfter): Eviction | undefined {
  const cause = status.causes.find(({ reason }) => reason === "DisruptionBudget");
  if (cause === undefined) return undefined;
  return { kind: "blocked", message: cause.message || status.message, retryAfter };
}

// The budget's controller is behind: for example, 2,000 disruptions wait to be counted.
const untilBudgetsAreCounted = seconds(10);

function forbidden(pod: string, status: Status): Eviction {
  const { message, causes, kind } = status;
  if (causes.some(({ reason }) => reason === "NamespaceTerminating"))
    return { kind: "namespace-terminating", message };
  const blocked = tryBlocked(status, untilBudgetsAreCounted);
  if (blocked !== undefined) return blocked;
  if (/^poddisruptionbudgets?$/i.test(kind))
    return { kind: "blocked", message, retryAfter: untilBudgetsAreCounted };
  if (/cannot (create resource "pods\/eviction"|delete resource "pods")/.test(message))
    throw new Fault("cluster.forbidden", `evicting ${pod}: ${message}`);
  return { kind: "denied", message };
}

function other(code: number, { message }: Status, retryAfter: RetryAfter): Eviction {
  if (/more than one PodDisruptionBudget/.test(message))
    return { kind: "overlapping-budgets", message };
  const answer = `HTTP ${code} ${message}`;
  if (code < 500) return { kind: "denied", message: answer };
  return { kind: "unclear", message: answer, retryAfter };
}

function retryAfterOf({ retryAfter }: Refusal, { retryAfterSeconds }: Status): RetryAfter {
  const header = /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : 0;
  const said = Math.max(header, retryAfterSeconds);
  return said > 0 ? seconds(said) : "unsaid";
}
