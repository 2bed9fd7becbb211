import { type Budget, budgetsOver, isExempt } from "../pod/budget.ts";
import type { Grace } from "../pod/eviction.ts";
import type { Pod } from "../pod/pod.ts";
import { type Instant, instant, latest, never, seconds } from "../time.ts";
import { type BudgetAllowance, mustRest } from "./budget-allowance.ts";
import type { Attempt } from "./ledger.ts";
import { isPastThreshold, remainingGrace } from "./overdue.ts";
import { isUnreachable, podClassOf, toleratesMark } from "./pod-class.ts";
import type { PodRequest, Snapshot } from "./snapshot.ts";

/** A request, and when it is due. */
export interface Plan {
  readonly request: PodRequest;
  readonly at: Instant;
}

/** Plans the eviction of a pod: when its last answer and its budget let it be asked for. */
export function evictionPlan(pod: Pod, allowance: BudgetAllowance, snapshot: Snapshot): Plan {
  const attempt = snapshot.ledger.attempts.get(pod.uid);
  const budget = tryGoverning(pod, snapshot.budgets);
  const budgetVersion = budget?.resourceVersion ?? "";
  const at =
    budget === undefined
      ? (attempt?.notBefore ?? snapshot.now)
      : budgetAt({ attempt, budget, allowance }, snapshot);
  return {
    request: { verb: "evict", pod, grace: graceFor(pod, snapshot), budgetVersion },
    at: toleratesMark(pod, snapshot) ? latest(at, firstSecondAfter(snapshot.marked)) : at,
  };
}

// Creations are told in whole seconds: what is put back in place of such a pod must be seen to be younger than the mark.
const firstSecondAfter = (marked: Instant): Instant =>
  instant(Math.ceil((marked + 1) / 1000) * 1000);

/** The one budget that is asked; several make the API refuse whatever they allow. */
export function tryGoverning(pod: Pod, budgets: readonly Budget[]): Budget | undefined {
  const [budget, ...others] = budgetsOver(pod, budgets);
  return budget === undefined || others.length > 0 || isExempt(pod, budget) ? undefined : budget;
}

interface Governed {
  readonly attempt: Attempt | undefined;
  readonly budget: Budget;
  readonly allowance: BudgetAllowance;
}

/**
 * At once out of the budget's allowance, else not before the budget changes: the API server would look
 * at the same status that was just seen here.
 */
function budgetAt({ attempt, budget, allowance }: Governed, { now }: Snapshot): Instant {
  if (attempt !== undefined && mustRest(attempt, budget, now)) return attempt.notBefore;
  return allowance.take(budget) ? now : never;
}

/** A pod on a silent node cannot be told to end; one whose own grace is too long gets what is left. */
function graceFor(pod: Pod, { node, now, deadline }: Snapshot): Grace {
  if (isUnreachable(node) && pod.grace > seconds(1)) return seconds(1);
  return isPastThreshold(pod, now, deadline) ? remainingGrace(pod, now, deadline) : "own";
}

/** An overdue pod that nothing holds up is evicted with what is left of its grace, any other deleted with it. */
export function overduePlan(pod: Pod, allowance: BudgetAllowance, snapshot: Snapshot): Plan {
  const { now, ledger } = snapshot;
  const attempt = ledger.attempts.get(pod.uid);
  if (attempt === undefined && mayBeEvicted(pod, allowance, snapshot))
    return evictionPlan(pod, allGiving, snapshot);
  const at = attempt !== undefined && isBelieved(attempt, pod) ? attempt.notBefore : now;
  return { request: deletionOf(pod, snapshot), at };
}

const allGiving: BudgetAllowance = { take: () => true };

function mayBeEvicted(pod: Pod, allowance: BudgetAllowance, snapshot: Snapshot): boolean {
  if (podClassOf(pod, snapshot) !== "evictable") return false;
  const budget = tryGoverning(pod, snapshot.budgets);
  return budget === undefined
    ? budgetsOver(pod, snapshot.budgets).length < 2
    : allowance.take(budget);
}

/**
 * Whether the last request may yet show its effect, so that there is nothing to add to it. Any of these:
 * - it was a deletion;
 * - its answer is out;
 * - it took effect, by its answer, and only the pod does not show it yet.
 */
const isBelieved = ({ verb, answer }: Attempt, pod: Pod): boolean =>
  verb === "delete" ||
  answer.kind === "pending" ||
  (pod.termination.kind === "active" && (answer.kind === "accepted" || answer.kind === "gone"));

/** Asks for a pod's deletion with what is left of its grace; nobody on a silent node could make use of it. */
export const deletionOf = (pod: Pod, { node, now, deadline }: Snapshot): PodRequest => ({
  verb: "delete",
  pod,
  grace: isUnreachable(node) ? seconds(1) : remainingGrace(pod, now, deadline),
  budgetVersion: "",
});
