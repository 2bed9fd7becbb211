import { type Budget, budgetsHolding } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import { budgetAllowance } from "./budget-allowance.ts";
import { evictionPlan } from "./eviction-plan.ts";
import { isOverdue } from "./overdue.ts";
import { evictableAmong } from "./pod-requests.ts";
import type { Snapshot } from "./snapshot.ts";
import { waitsForLook } from "./turn.ts";

/** A pod that would be evicted now, and the budgets that do not let it go. */
export interface HeldPod {
  readonly pod: Pod;
  readonly budgets: readonly Budget[];
}

/** The pods whose turn it is, and that only their budgets hold. */
export function heldByBudget(snapshot: Snapshot): readonly HeldPod[] {
  const { mode } = snapshot.settings;
  if (mode !== "evict" || snapshot.budgets.length === 0) return [];
  const allowance = budgetAllowance(snapshot.pods, snapshot);
  const punctual = snapshot.pods.filter(
    (pod) => !(isOverdue(pod, snapshot) || waitsForLook(pod, snapshot)),
  );
  return evictableAmong(punctual, snapshot).flatMap((pod) => {
    const isDue = evictionPlan(pod, allowance, snapshot).at <= snapshot.now;
    const budgets = budgetsHolding(pod, snapshot.budgets);
    return budgets.length === 0 || isLeaving(pod, snapshot) || (isDue && budgets.length === 1)
      ? []
      : [{ pod, budgets }];
  });
}

/** The answers by which the API server refuses an eviction because of budgets. */
export const byBudgets: readonly string[] = ["blocked", "overlapping-budgets"];

/** Whether the pod was asked to go, and its budgets did not refuse. */
function isLeaving({ uid }: Pod, { ledger }: Snapshot): boolean {
  const attempt = ledger.attempts.get(uid);
  return attempt !== undefined && !byBudgets.includes(attempt.answer.kind);
}
