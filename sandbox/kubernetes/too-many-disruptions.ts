import type { PodDisruptionBudget } from "./budget.ts";
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
export function exhausted({ metadata, status }: PodDisruptionBudget): ApiError {
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
