import { type Asked, allowance, type Budget, budgetsOver } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";

/** What the budgets have to give in one step, as it is given away. */
export interface Purse {
  /** Takes one disruption of a budget, if it has one left. */
  take(budget: Budget): boolean;
}

/** Fills a purse with what the budgets of these pods allow now. */
export function purseFor(pods: readonly Pod[], asked: Asked): Purse {
  const left = new Map<Budget, number>();
  const allowed = (budget: Budget): number => {
    const governed = pods.filter((pod) => budgetsOver(pod, [budget]).length > 0);
    return allowance(budget, governed, asked);
  };
  return {
    take(budget) {
      const rest = left.get(budget) ?? allowed(budget);
      left.set(budget, Math.max(0, rest - 1));
      return rest > 0;
    },
  };
}
