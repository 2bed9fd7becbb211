import { type Budget, budgetsHolding } from "./budget.ts";
import type { PlannedRequest } from "./eviction-plan.ts";
import { byBudgets, mayTakeEffect } from "./ledger.ts";
import type { Pod } from "./pod.ts";
import { plansOf } from "./pod-requests.ts";
import type { Snapshot } from "./snapshot.ts";

/** A pod that would be evicted now, and the budgets that do not let it go. */
export interface HeldPod {
  readonly pod: Pod;
  readonly budgets: readonly Budget[];
}

/** The pods whose turn it is, and that only their budgets hold. */
export function heldByBudget(snapshot: Snapshot): readonly HeldPod[] {
  const { mode } = snapshot.settings;
  if (mode !== "evict" || snapshot.budgets.length === 0) return [];
  return plansOf(snapshot).punctual.flatMap((plan) => heldIn(plan, snapshot));
}

function heldIn(
  { request: { verb, pod }, at }: PlannedRequest,
  snapshot: Snapshot,
): readonly HeldPod[] {
  if (verb === "delete" || isLeaving(pod, snapshot)) return [];
  const budgets = budgetsHolding(pod, snapshot.budgets);
  const isDue = at <= snapshot.now;
  return budgets.length === 0 || (isDue && budgets.length === 1) ? [] : [{ pod, budgets }];
}

/** Whether a pod waits for other evictions only, because its budget still allows a disruption. */
export const waitsItsTurn = ({ budgets: [budget, ...others] }: Pick<HeldPod, "budgets">): boolean =>
  budget?.observed === true && budget.disruptionsAllowed > 0 && others.length === 0;

/** True once the eviction of the pod was requested, unless its budgets refused, or anything else did before the pod began to wait for room. */
function isLeaving({ uid }: Pod, { ledger, room }: Snapshot): boolean {
  const attempt = ledger.attempts.get(uid);
  if (attempt === undefined || byBudgets.includes(attempt.answer.kind)) return false;
  return room.get(uid)?.state !== "awaited" || mayTakeEffect(attempt);
}
