import type { JsonObject } from "./json.ts";
import type { KubeObject } from "./kube-object.ts";
import type { LabelSelector } from "./label-selector.ts";
import type { PodTemplate } from "./pod.ts";
import { type Resource, usual } from "./resource.ts";

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

/** The number of a workload's pods, and of those that are ready. */
interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly [field: string]: unknown;
}

/** A HorizontalPodAutoscaler of a Deployment. */
export interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicas?: number;
    readonly maxReplicas: number;
  };
}

/** HorizontalPodAutoscalers. */
export const autoscalers: Resource<Autoscaler> = {
  ...usual,
  group: "autoscaling",
  version: "v2",
  plural: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  nothing: { spec: {}, status: {} },
  fieldWriters: true,
};

const emptyTemplate = { metadata: {}, spec: { containers: null } };

const workload = (plural: string, kind: string, nothing: JsonObject): Resource<Workload> => ({
  ...usual,
  group: "apps",
  plural,
  kind,
  nothing,
  fieldWriters: true,
  complete: (draft) => ({ ...draft, status: draft.status ?? {} }),
});

/** DaemonSets. */
export const daemonSets = workload("daemonsets", "DaemonSet", {
  spec: { selector: null, template: emptyTemplate, updateStrategy: {} },
  status: {},
});

/** ReplicaSets. */
export const replicaSets = workload("replicasets", "ReplicaSet", {
  spec: { replicas: 0, selector: null, template: emptyTemplate },
  status: { replicas: 0 },
});

/** Deployments. */
export const deployments = workload("deployments", "Deployment", {
  spec: { replicas: 0, selector: null, template: emptyTemplate, strategy: {} },
  status: {},
});

/** StatefulSets. */
export const statefulSets = workload("statefulsets", "StatefulSet", {
  spec: {
    replicas: 0,
    selector: null,
    template: emptyTemplate,
    serviceName: "",
    updateStrategy: {},
  },
  status: { replicas: 0, availableReplicas: 0 },
});
