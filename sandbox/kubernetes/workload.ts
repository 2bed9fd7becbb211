import type { KubeObject } from "./kube-object.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PodTemplate } from "./pod.ts";

/** An object whose controller keeps pods running from a template. */
export interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
    readonly serviceName?: string;
    readonly [field: string]: unknown;
  };
  readonly status: WorkloadStatus;
}

/** How many pods a workload has, and how many of them are ready. */
export interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly [field: string]: unknown;
}
