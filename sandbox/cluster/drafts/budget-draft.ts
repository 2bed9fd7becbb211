import type { PodDisruptionBudget } from "../budget.ts";
import type { Draft } from "../kube-object.ts";
import type { LabelSelector } from "../label-selector.ts";

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

/** A budget as its maker describes it; without a selector of its own it is for the app of its name. */
export function budgetDraft(options: BudgetOptions): Draft<PodDisruptionBudget> {
  const { name, namespace = "default", ...spec } = options;
  return {
    metadata: { name, namespace },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  };
}
