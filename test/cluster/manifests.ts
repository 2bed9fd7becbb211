import type {
  V1DaemonSet,
  V1Deployment,
  V1Namespace,
  V1OwnerReference,
  V1Pod,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1PodTemplateSpec,
  V1ReplicaSet,
  V1StatefulSet,
} from "@kubernetes/client-node";

/** The workload that a manifest describes; its pods carry the label `app` with its name. */
export interface Workload {
  readonly name: string;
  readonly namespace?: string;
  readonly replicas?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** The annotations of the pods, such as `hollow/term-seconds`. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of the pods' specification that differ from the default, such as `nodeName`. */
  readonly spec?: Partial<V1PodSpec>;
  /** For a pod: the controller that owns it. */
  readonly owner?: V1OwnerReference;
}

/** A budget over the pods of one workload. */
export interface Budget {
  readonly name: string;
  readonly namespace?: string;
  /** The workload's name. */
  readonly app: string;
  readonly allows:
    | { readonly minAvailable: number | string }
    | { readonly maxUnavailable: number | string };
}

const apps = "apps/v1";
const selector = (app: string) => ({ matchLabels: { app } });
const metadata = ({ name, namespace = "default" }: Workload) => ({ name, namespace });

function podTemplate({ name, labels, annotations = {}, spec }: Workload): V1PodTemplateSpec {
  const image = "registry.k8s.io/pause:3.10";
  return {
    metadata: { labels: { app: name, ...labels }, annotations: { ...annotations } },
    spec: { containers: [{ name: "main", image, imagePullPolicy: "IfNotPresent" }], ...spec },
  };
}

const template = (workload: Workload) => ({
  selector: selector(workload.name),
  template: podTemplate(workload),
});

/** A namespace. */
export const namespace = (name: string): V1Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
});

/** A bare pod, or with `owner` a controller's pod. */
export function pod(workload: Workload): V1Pod {
  const { metadata: own, spec } = podTemplate(workload);
  const ownerReferences = workload.owner === undefined ? [] : [workload.owner];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...own, ...metadata(workload), ownerReferences },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** A Deployment, by default with one replica. */
export const deployment = (workload: Workload): V1Deployment => ({
  apiVersion: apps,
  kind: "Deployment",
  metadata: metadata(workload),
  spec: { replicas: workload.replicas ?? 1, ...template(workload) },
});

/** A ReplicaSet, by default with one replica. */
export const replicaSet = (workload: Workload): V1ReplicaSet => ({
  apiVersion: apps,
  kind: "ReplicaSet",
  metadata: metadata(workload),
  spec: { replicas: workload.replicas ?? 1, ...template(workload) },
});

/** A StatefulSet, by default with one replica. */
export const statefulSet = (workload: Workload): V1StatefulSet => ({
  apiVersion: apps,
  kind: "StatefulSet",
  metadata: metadata(workload),
  spec: {
    replicas: workload.replicas ?? 1,
    serviceName: workload.name,
    ...template(workload),
  },
});

/** A DaemonSet like the cluster's own: it runs on every node, whatever the taints. */
export const daemonSet = (workload: Workload): V1DaemonSet => ({
  apiVersion: apps,
  kind: "DaemonSet",
  metadata: metadata(workload),
  spec: template({
    ...workload,
    spec: { tolerations: [{ operator: "Exists" }], ...workload.spec },
  }),
});

/** A PodDisruptionBudget. */
export const podDisruptionBudget = ({ name, namespace = "default", app, allows }: Budget) =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace },
    spec: { selector: selector(app), ...allows },
  }) satisfies V1PodDisruptionBudget;
