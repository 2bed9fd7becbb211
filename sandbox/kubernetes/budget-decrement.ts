import type { Instant } from "../../lambda/base/time.ts";
import { type BudgetStatus, budgets, type PodDisruptionBudget } from "./budget.ts";
import { withCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import type { ObjectStore } from "./object-store.ts";
import { refTo } from "./resource.ts";
import { ApiError } from "./status.ts";

/** The answer to an eviction that a budget does not allow now. */
function tooManyDisruptions(message: string, retryAfterSeconds?: number): ApiError {
  return new ApiError({
    code: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: "TooManyRequests",
    details: { causes: [{ reason: "DisruptionBudget", message }], retryAfterSeconds },
  });
}

/** The disruption controller has not observed the budget since it changed. */
export const stillProcessed = ({ metadata }: PodDisruptionBudget): ApiError =>
  tooManyDisruptions(
    `The disruption budget ${metadata.name} is still being processed by the server.`,
    10,
  );

/** Why an exhausted budget allows nothing, in the words of the API server. */
function exhausted({ metadata, status }: PodDisruptionBudget): ApiError {
  const condition = status.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const told = condition?.status === "False" && condition.message ? condition : undefined;
  const budget = `The disruption budget ${metadata.name}`;
  if (told?.reason === "SyncFailed") {
    return tooManyDisruptions(
      `${budget} does not allow evicting pods currently because it failed sync: ${told.message}`,
    );
  }
  if (status.currentHealthy <= status.desiredHealthy) {
    return tooManyDisruptions(
      `${budget} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`,
    );
  }
  const why = told === undefined ? "" : ` (${told.reason}): ${told.message}`;
  return tooManyDisruptions(`${budget} does not allow evicting pods currently${why}`);
}

function assertAllowed(budget: PodDisruptionBudget): void {
  const { metadata, status } = budget;
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(budget);
  if (status.disruptionsAllowed === 0) throw exhausted(budget);
}

/** Sets the condition that says whether a budget allows disruptions. */
export const withAllowedCondition = (status: BudgetStatus, now: Instant): BudgetStatus => ({
  ...status,
  conditions: withCondition(status.conditions, {
    type: "DisruptionAllowed",
    status: status.disruptionsAllowed > 0 ? "True" : "False",
    observedGeneration: status.observedGeneration,
    lastTransitionTime: wireTime(now),
    reason: status.disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
  }),
});

/**
 * Takes one disruption from a budget, or throws the reason why the budget allows none.
 *
 * Notes the pod's name in the status, where the disruption controller keeps it for two minutes.
 */
export function takeDisruption(
  store: ObjectStore,
  budget: PodDisruptionBudget,
  {
    pod,
    now,
    mode,
  }: { readonly pod: string; readonly now: Instant; readonly mode: "commit" | "dry-run" },
): void {
  assertAllowed(budget);
  if (mode === "dry-run") return;
  store.update(refTo(budgets, budget), (current) => {
    const disruptionsAllowed = current.status.disruptionsAllowed - 1;
    const disruptedPods = { ...current.status.disruptedPods, [pod]: wireTime(now) };
    const status = { ...current.status, disruptionsAllowed, disruptedPods };
    return {
      ...current,
      status: disruptionsAllowed === 0 ? withAllowedCondition(status, now) : status,
    };
  });
}
