import type { Condition, KubeObject } from "./kube-object.ts";
import type { LabelSelector } from "./label-selector.ts";

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

/** What the disruption controller found, less what evictions have taken since. */
export interface BudgetStatus {
  readonly observedGeneration?: number;
  /** The pods that an eviction is about to delete: the time of the eviction by pod name. */
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly conditions?: readonly Condition[];
}
