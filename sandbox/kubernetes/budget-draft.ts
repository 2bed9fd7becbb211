import type { PodDisruptionBudget } from "./budget.ts";
import type { Draft } from "./kube-object.ts";
import type { LabelSelector } from "./label-selector.ts";

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
