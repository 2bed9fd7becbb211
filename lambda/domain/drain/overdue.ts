import { budgetsOver } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import { earliest, type Instant, never, seconds } from "../time.ts";
import type { BudgetAllowance } from "./budget-allowance.ts";
import { evictionPlan, type Plan, tryGoverning } from "./eviction-plan.ts";
import { isPastThreshold, outlasts, pastThreshold, remainingGrace } from "./force.ts";
import type { Attempt } from "./ledger.ts";
import { isUnreachable, podClassOf } from "./pod-class.ts";
import type { PodRequest, Snapshot } from "./snapshot.ts";

/** Its grace does not fit before the deadline any more: tiers, protections and budgets hold it no longer. */
export const isOverdue = (pod: Pod, { now, deadline, settings }: Snapshot): boolean =>
  settings.force === "at-deadline" &&
  (pod.termination.kind === "terminating"
    ? outlasts(pod, deadline)
    : isPastThreshold(pod, now, deadline));

/** When the next of some pods is overdue that is not so yet. */
export const nextForce = (pods: readonly Pod[], { now, deadline, settings }: Snapshot): Instant =>
  settings.force === "never"
    ? never
    : earliest(never, ...pods.map((pod) => pastThreshold(pod, deadline)).filter((at) => at > now));

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
