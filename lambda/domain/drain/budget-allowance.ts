import { type Budget, governs } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import type { Instant } from "../time.ts";
import type { Attempt, Ledger } from "./ledger.ts";

/** The disruptions that the budgets still allow in one step. */
export interface BudgetAllowance {
  /** Takes one disruption of a budget; false when the budget has none left. */
  take(budget: Budget): boolean;
}

/** Counts the disruptions that the budgets of these pods allow now. */
export function budgetAllowance(pods: readonly Pod[], asked: Requested): BudgetAllowance {
  const left = new Map<Budget, number>();
  const allowed = (budget: Budget): number => {
    const governed = pods.filter((pod) => governs(budget, pod));
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

/** The requests of this pass up to now. */
export interface Requested {
  readonly ledger: Ledger;
  readonly now: Instant;
}

/**
 * How many more evictions a budget allows, after those that its status does not count yet.
 *
 * The API server may refuse a pod although the version of the budget that is known here allows its eviction. The
 * server then knows a newer version, in which others took the rest, so this budget allows no more.
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

/** Every answer rules out a new request for its time; a budget's refusal does so only until the budget changes. */
export const mustRest = (attempt: Attempt, budget: Budget, now: Instant): boolean =>
  attempt.notBefore > now &&
  (attempt.answer.kind !== "blocked" || attempt.budgetVersion === budget.resourceVersion);

/** Whether a pod has been requested and not refused, while the budget's status is still from before the request. */
function isUncounted(pod: Pod, budget: Budget, { attempts }: Ledger): boolean {
  const attempt = attempts.get(pod.uid);
  if (attempt === undefined || budget.disrupted.includes(pod.name)) return false;
  if (attempt.answer.kind === "pending") return true;
  if (attempt.answer.kind !== "accepted") return false;
  return attempt.budgetVersion === budget.resourceVersion || pod.termination.kind === "active";
}
