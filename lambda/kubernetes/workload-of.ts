import type {
  IntOrString,
  V1Affinity,
  V1Deployment,
  V1DeploymentSpec,
  V1LabelSelector,
  V1ObjectMeta,
  V1Pod,
  V1PodSpec,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import { selects } from "../drain/budget.ts";
import type { Replica, Scaler, Workload } from "../making-room/workload.ts";
import type { AsSent } from "./as-sent.ts";
import { selectorOf } from "./budget-of.ts";
import { seekerOf } from "./seeker-of.ts";

/** A ScaledObject of KEDA. @see https://keda.sh/docs/latest/reference/scaledobject-spec/ */
export interface ScaledObject {
  readonly metadata?: AsSent<V1ObjectMeta>;
  readonly spec?: { readonly minReplicaCount?: number; readonly maxReplicaCount?: number };
}

/** Reads a Deployment or a ReplicaSet of the Kubernetes API. */
export function workloadOf(
  kind: Workload["kind"],
  sent: AsSent<V1Deployment>,
  scaler: Scaler | "none",
): Workload {
  const { metadata = {}, spec } = sent;
  const counts = countsOf(spec);
  return {
    kind,
    ...countingOf(kind, metadata, "f:replicas"),
    selector: selectorText(spec?.selector ?? {}),
    ...counts,
    maxSurge: kind === "ReplicaSet" ? 1 : counts.maxSurge,
    state: isSettled(kind, sent, counts.replicas) ? "settled" : "under way",
    scaler,
  };
}

function countsOf(spec: AsSent<V1DeploymentSpec> | undefined) {
  const { replicas = 1, strategy = {}, template } = spec ?? {};
  const { volumes = [] } = template?.spec ?? {};
  return {
    replicas,
    maxSurge: surgeOf(strategy.rollingUpdate?.maxSurge, replicas),
    strategy: strategy.type === "Recreate" ? ("Recreate" as const) : ("RollingUpdate" as const),
    claims: volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []),
  };
}

function isSettled(
  kind: Workload["kind"],
  { metadata = {}, status = {} }: AsSent<V1Deployment>,
  count: number,
): boolean {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0 } = status;
  const isCounted = observedGeneration >= (metadata.generation ?? 0) && replicas === count;
  return isCounted && (kind === "ReplicaSet" || updatedReplicas === count);
}

/** Reads a HorizontalPodAutoscaler of the Kubernetes API. */
export const scalerOf = ({ metadata = {}, spec }: AsSent<V2HorizontalPodAutoscaler>): Scaler => ({
  kind: "HorizontalPodAutoscaler",
  ...countingOf("autoscaler", metadata, "f:minReplicas"),
  min: spec?.minReplicas ?? 1,
  max: spec?.maxReplicas ?? 1,
  state: "followed",
});

// What KEDA takes where a ScaledObject does not say.
const mostOfKeda = 100;

/** Reads a ScaledObject, which keeps a HorizontalPodAutoscaler; that never counts fewer than one. */
export function scaledObjectOf({ metadata = {}, spec = {} }: ScaledObject, kept: Scaler): Scaler {
  const { minReplicaCount: min = 0, maxReplicaCount: max = mostOfKeda } = spec;
  const counting = countingOf("ScaledObject", metadata, "f:minReplicaCount");
  const state = kept.min === Math.max(1, min) ? "followed" : "behind";
  return { kind: "ScaledObject", ...counting, min, max, state };
}

function countingOf(what: string, metadata: AsSent<V1ObjectMeta>, field: string) {
  const { namespace = "", name, uid, resourceVersion } = metadata;
  const { annotations = {}, managedFields = [] } = metadata;
  if (name === undefined || uid === undefined || resourceVersion === undefined)
    throw new Fault("cluster.refused", `reading ${what} ${name}: no name, uid or version`);
  const writers = managedFields.filter(
    ({ fieldsV1 }) => field in Object(Object(fieldsV1 ?? {})["f:spec"] ?? {}),
  );
  const managers = writers.map(({ manager = "" }) => manager);
  return { namespace, name, uid, resourceVersion, annotations, managers };
}

// What the API server adds where a Deployment does not say.
const usualSurge = "25%";

const surgeOf = (surge: IntOrString = usualSurge, replicas: number): number =>
  Math.max(
    1,
    typeof surge === "number" ? surge : Math.ceil((Number.parseInt(surge, 10) * replicas) / 100),
  );

/** Reads a pod, what the scheduler says of it, and where another such pod may not be. */
export function replicaOf(sent: AsSent<V1Pod>): Replica {
  const refused = sent.status?.conditions?.find(
    ({ type, status, reason }) =>
      type === "PodScheduled" && status === "False" && reason === "Unschedulable",
  );
  const seeker = seekerOf(sent);
  const ports = hasHostPorts(sent.spec) ? [{ from: "host ports", label: hostLabel }] : [];
  const apart = [...ports, ...ownAntiAffinity(sent.spec?.affinity, seeker.pod)];
  return { ...seeker, unplaced: refused?.message ?? "", apart };
}

const hostLabel = "kubernetes.io/hostname";

const hasHostPorts = (spec: AsSent<V1PodSpec> | undefined): boolean =>
  (spec?.containers ?? []).some(({ ports = [] }) => ports.some((port) => "hostPort" in port));

/** The terms that keep a pod away from others of its own kind; those about other namespaces are left to the scheduler. */
const ownAntiAffinity = (
  affinity: AsSent<V1Affinity> | undefined,
  { labels }: Replica["pod"],
): Replica["apart"] =>
  (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    .filter(({ namespaces, namespaceSelector, labelSelector }) => {
      const isHere = namespaces === undefined && namespaceSelector === undefined;
      return isHere && selects(selectorOf(labelSelector), labels);
    })
    .map(({ topologyKey }) => ({ from: "anti-affinity", label: topologyKey }));

/** Writes a label selector as a query has it. */
const selectorText = ({
  matchLabels = {},
  matchExpressions = [],
}: AsSent<V1LabelSelector>): string =>
  [
    ...Object.entries(matchLabels).map(([key, value]) => `${key} in (${value})`),
    ...matchExpressions.map(({ key, operator, values = [] }) => {
      if (operator === "Exists") return key;
      if (operator === "DoesNotExist") return `!${key}`;
      return `${key} ${operator === "In" ? "in" : "notin"} (${values.join(",")})`;
    }),
  ].join(",");
