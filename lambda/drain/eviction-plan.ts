import { earliest, type Instant, instant, later, latest, never, seconds } from "../base/time.ts";
import { type Budget, budgetsHolding } from "./budget.ts";
import { type BudgetAllowance, mustRest } from "./budget-allowance.ts";
import type { Grace } from "./eviction.ts";
import { isTrusted, type PodAttempt } from "./ledger.ts";
import { isPastThreshold, remainingGrace } from "./overdue.ts";
import type { Pod } from "./pod.ts";
import { isTerminating, isUnreachable, podClassOf, toleratesMark } from "./pod-class.ts";
import type { PodRequest, Snapshot } from "./snapshot.ts";

/** A request and the time at which it is due. */
export interface PlannedRequest {
  readonly request: PodRequest;
  readonly at: Instant;
}

/** Plans the eviction of a pod for the first moment that its last answer and its budget permit. */
export function evictionPlan(
  pod: Pod,
  allowance: BudgetAllowance,
  snapshot: Snapshot,
): PlannedRequest {
  const attempt = snapshot.ledger.attempts.get(pod.uid);
  const budget = tryGoverning(pod, snapshot.budgets);
  const at =
    budget === undefined || isTrusted(attempt)
      ? freeAt(pod, allowance, snapshot)
      : budgetAt(attempt, budget, allowance, snapshot);
  return evictionAt(at, pod, snapshot);
}

const evictionAt = (at: Instant, pod: Pod, snapshot: Snapshot): PlannedRequest => ({
  request: evictionOf(pod, snapshot),
  at: toleratesMark(pod, snapshot) ? latest(at, firstSecondAfter(snapshot.marked)) : at,
});

const evictionOf = (pod: Pod, snapshot: Snapshot): PodRequest => ({
  verb: "evict",
  pod,
  grace: graceFor(pod, snapshot),
  budgetVersion: tryGoverning(pod, snapshot.budgets)?.resourceVersion ?? "",
});

/** When to ask for a pod that no known budget governs: where budgets are not known, once other evictions there are answered. */
function freeAt(pod: Pod, allowance: BudgetAllowance, { ledger, now, unread }: Snapshot): Instant {
  const at = ledger.attempts.get(pod.uid)?.notBefore ?? now;
  const isFree = at > now || !unread.has(pod.namespace) || allowance.takeUnread(pod.namespace);
  return isFree ? at : never;
}

/** Plans no eviction of a pod as long as another one is awaited that was made elsewhere: its ReplicaSet would make a third. */
export const awaitingPlan = (pod: Pod, snapshot: Snapshot): PlannedRequest => ({
  request: evictionOf(pod, snapshot),
  at: never,
});

// Kubernetes writes creation times in whole seconds. The replacement of such a pod must be seen to be younger than the mark.
const firstSecondAfter = (marked: Instant): Instant =>
  instant(Math.ceil((marked + 1) / 1000) * 1000);

/** The one budget that decides about a pod's eviction; where several select a pod the API refuses it, whatever they allow. */
export function tryGoverning(pod: Pod, budgets: readonly Budget[]): Budget | undefined {
  const [budget, ...others] = budgetsHolding(pod, budgets);
  return others.length > 0 ? undefined : budget;
}

/**
 * Now if the budget still allows a disruption, else not before the budget changes or an eviction no longer counts: the
 * API server would look at the same status that this pass has just seen, and refuse.
 */
function budgetAt(
  attempt: PodAttempt | undefined,
  budget: Budget,
  allowance: BudgetAllowance,
  { now }: Snapshot,
): Instant {
  if (attempt !== undefined && mustRest(attempt, budget, now)) return attempt.notBefore;
  const from = allowance.from(budget);
  if (from > now) return from;
  return allowance.take(budget) ? now : allowance.freed(budget);
}

/**
 * The pod's own grace, or what is left before the deadline where its own no longer fits.
 *
 * An unreachable node cannot tell the pod to end, so one second is enough there.
 */
function graceFor(pod: Pod, { node, now, triesUntil }: Snapshot): Grace {
  if (isUnreachable(node) && pod.grace > seconds(1)) return seconds(1);
  return isPastThreshold(pod, now, triesUntil) ? remainingGrace(pod, now, triesUntil) : "own";
}

/** Plans to evict an overdue pod that nothing holds up, and to delete any other; both with what is left of its grace. */
export function overduePlan(
  pod: Pod,
  allowance: BudgetAllowance,
  snapshot: Snapshot,
): PlannedRequest {
  const { now, ledger } = snapshot;
  const attempt = ledger.attempts.get(pod.uid);
  const isUnproven =
    attempt?.verb === "evict" && isTrusted(attempt) && podClassOf(pod, snapshot) === "evictable";
  // Of what was accepted already, only the pod is looked at.
  if (isUnproven) return lookPlan(pod, attempt, snapshot);
  if (attempt === undefined && mayBeEvicted(pod, allowance, snapshot)) {
    // What its budget allows is taken already.
    const isBudgeted = tryGoverning(pod, snapshot.budgets) !== undefined;
    return evictionAt(isBudgeted ? now : freeAt(pod, allowance, snapshot), pod, snapshot);
  }
  const at = attempt !== undefined && isBelieved(attempt, pod) ? attempt.notBefore : now;
  return { request: deletionOf(pod, snapshot), at };
}

// A watch usually shows a true eviction within that time. A pod that is out of time does not wait for it as long as others.
const soon = seconds(1);

/** Plans a look whether an overdue pod's eviction has taken effect; if not, its deletion follows. */
const lookPlan = (pod: Pod, { asked, notBefore }: PodAttempt, snapshot: Snapshot) => ({
  request: evictionOf(pod, snapshot),
  at: earliest(notBefore, later(asked, soon)),
});

function mayBeEvicted(pod: Pod, allowance: BudgetAllowance, snapshot: Snapshot): boolean {
  if (podClassOf(pod, snapshot) !== "evictable") return false;
  const budget = tryGoverning(pod, snapshot.budgets);
  return budget === undefined
    ? budgetsHolding(pod, snapshot.budgets).length === 0
    : !allowance.isCrowded(budget) && allowance.take(budget);
}

/** Whether the last request may still show its effect, so that the drain waits: a deletion, one without an answer, or one that has just been accepted. */
const isBelieved = (attempt: PodAttempt, pod: Pod): boolean =>
  attempt.verb === "delete" ||
  attempt.answer.kind === "pending" ||
  (isTrusted(attempt) && !isTerminating(pod));

/** Requests a pod's deletion with what is left of its grace; on an unreachable node, which cannot use it, with one second. */
export const deletionOf = (pod: Pod, { node, now, triesUntil }: Snapshot): PodRequest => ({
  verb: "delete",
  pod,
  grace: isUnreachable(node) ? seconds(1) : remainingGrace(pod, now, triesUntil),
  budgetVersion: "",
});
