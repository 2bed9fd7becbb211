import type { PodUid } from "../base/ids.ts";
import { between, type Instant, instant, later, seconds } from "../base/time.ts";
import type { Eviction } from "./eviction.ts";

/** The last request for one pod, and its answer. */
export interface PodAttempt {
  readonly verb: "evict" | "delete";
  readonly asked: Instant;
  readonly answer: Eviction | { readonly kind: "pending" };
  /** The number of requests in a row that the API server has refused, apart from throttled ones. */
  readonly refusals: number;
  /** The drain makes no further request for the pod before then. */
  readonly notBefore: Instant;
  /** The version of the pod's budget at the time of the request; empty without a budget. */
  readonly budgetVersion: string;
}

/**
 * The requests of this pass to the API server. It only saves requests: a pass that starts with an
 * empty ledger drains just as well.
 */
export interface Ledger {
  readonly attempts: ReadonlyMap<PodUid, PodAttempt>;
  /** The end of the pause after throttling. */
  readonly pausedUntil: Instant;
  /** The most requests at the same time. */
  readonly limit: number;
  /** Namespaces that refuse evictions because they are being deleted, and the time of the first such refusal. */
  readonly terminatingNamespaces: ReadonlyMap<string, Instant>;
}

/** The ledger of a pass that has made no request yet. */
export const ledgerWithLimit = (limit: number): Ledger => ({
  attempts: new Map(),
  pausedUntil: instant(0),
  limit: limit,
  terminatingNamespaces: new Map(),
});

/** The number of requests without an answer yet. */
export function underWay({ attempts }: Ledger): number {
  let count = 0;
  for (const { answer } of attempts.values()) if (answer.kind === "pending") count += 1;
  return count;
}

/** The time in which the API server answers most requests. A webhook, or a budget that somebody keeps changing, makes one last half a minute. */
export const prompt = seconds(5);
const mostForEach = 3;

const isPending = ({ answer }: PodAttempt): boolean => answer.kind === "pending";

/** The number of further requests for which there is room: one that is not answered soon leaves its room to others, up to a limit. */
export function roomFor({ attempts, limit }: Ledger, now: Instant): number {
  const pending = [...attempts.values()].filter(isPending);
  const young = pending.filter(({ asked }) => now < later(asked, prompt));
  return Math.max(0, Math.min(limit - young.length, mostForEach * limit - pending.length));
}

/** The number of further requests that may start now. */
export const freeSlots = (ledger: Ledger, now: Instant): number =>
  now < ledger.pausedUntil ? 0 : roomFor(ledger, now);

// A pod whose request was accepted is looked at some seconds after the answer.
const slow = seconds(12);

/** Whether a request has had no effect yet, or had it late. */
export const isLate = (attempt: PodAttempt): boolean =>
  !isTrusted(attempt) || between(attempt.asked, attempt.notBefore) > slow;

/** Whether the last answer says that a request took effect, and only a look at the pod can prove it. */
export const isTrusted = (attempt: PodAttempt | undefined): boolean =>
  attempt?.answer.kind === "accepted" || attempt?.answer.kind === "gone";

/** Whether the last request may still take effect, or has. */
export const mayTakeEffect = (attempt: PodAttempt): boolean =>
  isPending(attempt) || isTrusted(attempt);

/** The answers by which the API server refuses an eviction because of budgets. */
export const byBudgets: readonly string[] = ["blocked", "overlapping-budgets"];
