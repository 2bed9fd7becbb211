import { type Budget, budgetsOver } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import type { Instant } from "../time.ts";
import type { Attempt, Ledger } from "./ledger.ts";

/** What the budgets have to give in one step, as it is given away. */
export interface BudgetAllowance {
  /** Takes one disruption of a budget, if it has one left. */
  take(budget: Budget): boolean;
}

/** Counts what the budgets of these pods allow now. */
export function budgetAllowance(pods: readonly Pod[], asked: Requested): BudgetAllowance {
  const left = new Map<Budget, number>();
  const allowed = (budget: Budget): number => {
    const governed = pods.filter((pod) => budgetsOver(pod, [budget]).length > 0);
    return disruptionsLeft(budget, governed, asked);
  };
  return {
    take(budget) {
      const rest = left.get(budget) ?? allowed(budget);
      left.set(budget, Math.max(0, rest - 1));
      return rest > 0;
    },
  };
}

/** What has been asked of budgets up to now. */
export interface Requested {
  readonly ledger: Ledger;
  readonly now: Instant;
}

/**
 * How many more pods a budget gives away, those deducted whose eviction it does not count yet.
 *
 * Who is refused by the very version that is known here has been told of a newer one, in which others took the rest.
 */
export function disruptionsLeft(
  budget: Budget,
  governed: readonly Pod[],
  asked: Requested,
): number {
  if (!budget.observed || governed.some((pod) => isRefusing(pod, budget, asked))) return 0;
  const spent = governed.filter((pod) => isUncounted(pod, budget, asked.ledger));
  return Math.max(0, budget.disruptionsAllowed - spent.length);
}

function isRefusing(pod: Pod, budget: Budget, { ledger, now }: Requested): boolean {
  const attempt = ledger.attempts.get(pod.uid);
  return attempt?.answer.kind === "blocked" && mustRest(attempt, budget, now);
}

/** A refusal by a budget holds until that budget changes; every other answer holds for its time. */
export const mustRest = (attempt: Attempt, budget: Budget, now: Instant): boolean =>
  attempt.notBefore > now &&
  (attempt.answer.kind !== "blocked" || attempt.budgetVersion === budget.resourceVersion);

/** Asked for and not refused, while the budget's status is still one of before. */
function isUncounted(pod: Pod, budget: Budget, { attempts }: Ledger): boolean {
  const attempt = attempts.get(pod.uid);
  if (attempt === undefined || budget.disrupted.includes(pod.name)) return false;
  if (attempt.answer.kind === "pending") return true;
  if (attempt.answer.kind !== "accepted") return false;
  return attempt.budgetVersion === budget.resourceVersion || pod.termination.kind === "active";
}
