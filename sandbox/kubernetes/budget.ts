import type { Draft, KubeObject, StatusCondition } from "./kube-object.ts";
import type { LabelSelector } from "./label-selector.ts";
import { type Resource, usual } from "./resource.ts";

/** A PodDisruptionBudget. */
export interface PodDisruptionBudget extends KubeObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelector;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status: BudgetStatus;
}

/** The findings of the disruption controller, less the evictions since. */
export interface BudgetStatus {
  readonly observedGeneration?: number;
  /** The pods that an eviction is about to delete: the time of the eviction by pod name. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly conditions?: readonly StatusCondition[];
}

/** A PodDisruptionBudget to be added. */
export interface BudgetOptions {
  readonly name: string;
  /** @default "default" */
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
  readonly unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

/** The draft of a budget; without a selector it selects pods whose `app` label is its name. */
export function budgetDraft(options: BudgetOptions): Draft<PodDisruptionBudget> {
  const { name, namespace = "default", ...spec } = options;
  return {
    metadata: { name, namespace },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  };
}

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
