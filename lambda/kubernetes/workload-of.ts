import type {
  IntOrString,
  V1Deployment,
  V1DeploymentSpec,
  V1DeploymentStatus,
  V1LabelSelector,
  V1ManagedFieldsEntry,
  V1ObjectMeta,
  V1Pod,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import type { Replica, Scaler, Workload } from "../making-room/workload.ts";
import type { AsSent } from "./as-sent.ts";
import { podOf } from "./pod-of.ts";

/** Reads a Deployment of the Kubernetes API, and the autoscaler that counts its pods. */
export function workloadOf(
  { metadata = {}, spec, status = {} }: AsSent<V1Deployment>,
  scalers: readonly AsSent<V2HorizontalPodAutoscaler>[],
): Workload {
  const identity = countingOf("deployment", metadata, "f:replicas");
  const scaler = scalers.find(({ spec: its }) => isAbout(identity.name, its?.scaleTargetRef));
  const counts = countsOf(spec);
  return {
    ...identity,
    namespace: metadata.namespace ?? "",
    ...counts,
    state: isSettled(status, { ...counts, ...metadata }) ? "settled" : "under way",
    scaler: scaler === undefined ? "none" : scalerOf(scaler),
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

const isSettled = (
  { observedGeneration = 0, replicas = 0, updatedReplicas = 0 }: AsSent<V1DeploymentStatus>,
  asked: { readonly generation?: number; readonly replicas: number },
): boolean =>
  observedGeneration >= (asked.generation ?? 0) &&
  replicas === asked.replicas &&
  updatedReplicas === asked.replicas;

/** Reads a HorizontalPodAutoscaler of the Kubernetes API. */
const scalerOf = ({ metadata = {}, spec }: AsSent<V2HorizontalPodAutoscaler>): Scaler => ({
  ...countingOf("autoscaler", metadata, "f:minReplicas"),
  min: spec?.minReplicas ?? 1,
  max: spec?.maxReplicas ?? 1,
  madeBy: (metadata.ownerReferences ?? []).some(({ kind }) => kind === "ScaledObject")
    ? "KEDA"
    : "somebody",
});

const isAbout = (name: string, target: { kind: string; name: string } | undefined): boolean =>
  target?.kind === "Deployment" && target.name === name;

function countingOf(what: string, metadata: AsSent<V1ObjectMeta>, field: string) {
  const { name, uid, resourceVersion, annotations = {}, managedFields = [] } = metadata;
  if (name === undefined || uid === undefined || resourceVersion === undefined)
    throw new Fault("cluster.refused", `reading ${what} ${name}: no name, uid or version`);
  const managers = managedFields.flatMap((entry) => (writes(entry, field) ? [entry.manager] : []));
  return { name, uid, resourceVersion, annotations, managers: managers.map((one) => one ?? "") };
}

function writes({ fieldsV1 }: AsSent<V1ManagedFieldsEntry>, field: string): boolean {
  const { "f:spec": spec } = Object(fieldsV1 ?? {});
  return field in Object(spec ?? {});
}

// What the API server adds where a Deployment does not say.
const usualSurge = "25%";

const surgeOf = (surge: IntOrString = usualSurge, replicas: number): number =>
  Math.max(
    1,
    typeof surge === "number" ? surge : Math.ceil((Number.parseInt(surge, 10) * replicas) / 100),
  );

/** Reads a pod, and what the scheduler says of it. */
export const replicaOf = (sent: AsSent<V1Pod>): Replica => ({
  pod: podOf(sent),
  unplaced:
    sent.status?.conditions?.find(
      ({ type, status, reason }) =>
        type === "PodScheduled" && status === "False" && reason === "Unschedulable",
    )?.message ?? "",
});

/** Writes a label selector as a query has it. */
export const selectorText = ({
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
