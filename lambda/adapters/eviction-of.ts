import type { Eviction, RetryAfter } from "../domain/eviction.ts";
import { seconds } from "../domain/time.ts";
import { Fault } from "../fault.ts";
import { readStatus, type Status } from "./status-schema.ts";

/** An answer of the API server that is no success. */
export interface Refusal {
  readonly code: number;
  readonly body: string;
  /** The `Retry-After` header; empty when there is none. */
  readonly retryAfter: string;
}

/**
 * Gives a refused eviction its meaning.
 *
 * A 429 is a disruption budget only if it says so: throttling and a shutting-down server answer 429 as well.
 * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/registry/core/pod/storage/eviction.go
 */
export function evictionOf(pod: string, refusal: Refusal): Eviction {
  const status = readStatus(refusal.body);
  const { message } = status;
  const retryAfter = retryAfterOf(refusal, status);
  switch (refusal.code) {
    case 404:
      return { kind: "gone" };
    case 409:
      return { kind: "conflict", message };
    case 429:
      return { kind: isOfBudget(status) ? "blocked" : "throttled", message, retryAfter };
    case 403:
      return forbidden(pod, status);
    default:
      return other(refusal.code, status);
  }
}

const isOfBudget = ({ causes }: Status): boolean => causes.includes("DisruptionBudget");

function forbidden(pod: string, status: Status): Eviction {
  const { message, causes, kind } = status;
  if (causes.includes("NamespaceTerminating")) return { kind: "namespace-terminating", message };
  if (isOfBudget(status) || /^poddisruptionbudgets?$/.test(kind))
    return { kind: "blocked", message, retryAfter: seconds(10) };
  if (/cannot create resource "pods\/eviction"/.test(message))
    throw new Fault("cluster.forbidden", `evicting ${pod}: ${message}`);
  return { kind: "denied", message };
}

function other(code: number, { message }: Status): Eviction {
  if (/more than one PodDisruptionBudget/.test(message))
    return { kind: "overlapping-budgets", message };
  if (code >= 500) return { kind: "unclear", message: `HTTP ${code} ${message}` };
  return { kind: "denied", message: `HTTP ${code} ${message}` };
}

function retryAfterOf({ retryAfter }: Refusal, { retryAfterSeconds }: Status): RetryAfter {
  const header = /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : 0;
  const said = Math.max(header, retryAfterSeconds);
  return said > 0 ? seconds(said) : "unsaid";
}
