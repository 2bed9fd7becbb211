import type { PodDisruptionBudget } from "./budget.ts";
import { type Resource, usual } from "./resource.ts";

/** PodDisruptionBudgets. */
export const budgets: Resource<PodDisruptionBudget> = {
  ...usual,
  group: "policy",
  plural: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  nothing: { spec: {}, status: {} },
  complete: (draft) => ({
    ...draft,
    status: draft.status ?? {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    },
  }),
};
