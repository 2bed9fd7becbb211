import type { Attempt, Ledger } from "../drain/ledger.ts";
import type { Instant } from "../time.ts";
import type { Pod } from "./pod.ts";
import { type Selector, selects } from "./selector.ts";

/** A PodDisruptionBudget as its status stands now. */
export interface Budget {
  readonly namespace: string;
  readonly name: string;
  /** Changes whenever the budget or its status does. */
  readonly resourceVersion: string;
  readonly selector: Selector;
  /** What it allows at most, in its own words, such as `maxUnavailable 0`. */
  readonly rule: string;
  /** Whether its own rule leaves no pod to spare even when all are healthy. */
  readonly meetable: "sometimes" | "never";
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  /** Whether the status speaks of the rule as it is now. */
  readonly observed: boolean;
  readonly unhealthyPods: "always-allow" | "if-healthy-budget";
  /** Names of pods whose eviction the status counts already. */
  readonly disrupted: readonly string[];
  /** Since when it has had nothing to give, as its status says; long ago where that does not say. */
  readonly spent: Instant;
}

/** A budget's name for people: `namespace/name`. */
export const budgetTitle = ({ namespace, name }: Budget): string => `${namespace}/${name}`;

/** The budgets that a pod's eviction is subject to: those of its own namespace that select it. */
export const budgetsOver = (pod: Pod, budgets: readonly Budget[]): readonly Budget[] =>
  budgets.filter(
    ({ namespace, selector }) => namespace === pod.namespace && selects(selector, pod.labels),
  );

/**
 * Whether the API evicts a pod without asking its budget. Any of these:
 * - it has not started;
 * - it is not ready, and its budget lets such pods go;
 * - it is not ready, and its budget is met without it.
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
 */
export const isExempt = (pod: Pod, budget: Budget): boolean =>
  pod.phase === "Pending" ||
  (!pod.ready && budget.unhealthyPods === "always-allow") ||
  (!pod.ready && budget.currentHealthy >= budget.desiredHealthy && budget.desiredHealthy > 0);

/** What has been asked of budgets up to now. */
export interface Asked {
  readonly ledger: Ledger;
  readonly now: Instant;
}

/**
 * How many more pods a budget gives away, those deducted whose eviction it does not count yet.
 *
 * Who is refused by the very version that is known here has been told of a newer one, in which others took the rest.
 */
export function allowance(budget: Budget, governed: readonly Pod[], asked: Asked): number {
  if (!budget.observed || governed.some((pod) => isRefusing(pod, budget, asked))) return 0;
  const spent = governed.filter((pod) => isUncounted(pod, budget, asked.ledger));
  return Math.max(0, budget.disruptionsAllowed - spent.length);
}

function isRefusing(pod: Pod, budget: Budget, { ledger, now }: Asked): boolean {
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
