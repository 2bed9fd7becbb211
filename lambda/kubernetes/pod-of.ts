import type {
  V1ObjectMeta,
  V1OwnerReference,
  V1Pod,
  V1PodSpec,
  V1PodStatus,
  V1Toleration,
  V1Volume,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import { nodeName, podUid } from "../base/ids.ts";
import { later, latest, seconds } from "../base/time.ts";
import {
  type Controller,
  mostClaims,
  type Pod,
  type PodPhase,
  type Termination,
  type Toleration,
} from "../drain/pod.ts";
import { isName } from "./api-path.ts";
import { type AsSent, instantOf } from "./as-sent.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const phases: readonly PodPhase[] = ["Pending", "Running", "Succeeded", "Failed"];
// The folder where CSI drivers register with the kubelet, whatever its root folder.
const registry = /\/plugins_registry\/?$/;
// The API server's default.
const defaultGrace = 30;

/** Reads a pod of the Kubernetes API. */
export const podOf = ({ metadata = {}, spec, status = {} }: AsSent<V1Pod>): Pod => ({
  ...identityOf(metadata),
  ...lifeOf(metadata, status),
  ...wishesOf(metadata.name ?? "", spec),
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
  finalizers: metadata.finalizers ?? [],
});

function identityOf({
  namespace,
  name,
  uid,
  annotations = {},
  ownerReferences = [],
}: AsSent<V1ObjectMeta>) {
  if (namespace === undefined || name === undefined || uid === undefined)
    throw new Fault(
      "cluster.refused",
      `reading pod ${namespace}/${name}: no namespace, name or uid`,
    );
  return {
    namespace,
    name,
    uid: podUid(uid),
    controller: controllerAmong(ownerReferences),
    mirror: mirrorAnnotation in annotations || ownerReferences.some(isNode),
  };
}

function lifeOf(
  { creationTimestamp, ...deletion }: AsSent<V1ObjectMeta>,
  { phase, startTime, conditions = [] }: AsSent<V1PodStatus>,
) {
  const created = instantOf(creationTimestamp);
  return {
    phase: phases.find((known) => known === phase) ?? ("Unknown" as const),
    ready: conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    created,
    // The kubelet dates it, whose clock may be behind that of the API server.
    started: latest(created, instantOf(startTime)),
    termination: terminationOf(deletion),
  };
}

function wishesOf(pod: string, spec: AsSent<V1PodSpec> | undefined) {
  if (spec === undefined) throw new Fault("cluster.refused", `reading pod ${pod}: no spec`);
  const { volumes = [], tolerations = [] } = spec;
  return {
    node: nodeName(spec.nodeName ?? ""),
    priorityClass: spec.priorityClassName ?? "",
    grace: seconds(spec.terminationGracePeriodSeconds ?? defaultGrace),
    tolerations: tolerations.map(tolerationOf),
    claims: claimsIn(volumes.flatMap((volume) => claimOf(pod, volume))),
    localStorage: volumes.some(({ emptyDir }) => emptyDir !== undefined),
    csiNodePlugin: volumes.some(({ hostPath }) => registry.test(hostPath?.path ?? "")),
  };
}

const isNode = ({ kind, apiVersion }: AsSent<V1OwnerReference>): boolean =>
  kind === "Node" && apiVersion === "v1";

function controllerAmong(owners: readonly AsSent<V1OwnerReference>[]): Controller {
  const found = owners.find(({ controller }) => controller === true);
  if (found === undefined) return { kind: "none" };
  const { kind: type, apiVersion, name, uid } = found;
  return { kind: "owner", type, apiVersion, name, uid };
}

/** The grace of a deletion is the one that its request asked for, and may differ from the pod's own. */
function terminationOf({
  deletionTimestamp,
  deletionGracePeriodSeconds: grace = 0,
}: AsSent<V1ObjectMeta>): Termination {
  if (deletionTimestamp === undefined) return { kind: "active" };
  const until = instantOf(deletionTimestamp);
  return { kind: "terminating", since: later(until, seconds(-grace)), until };
}

const tolerationOf = ({ key, operator, value, effect }: AsSent<V1Toleration>): Toleration => ({
  key: key ?? "",
  operator: operator ?? "Equal",
  value: value ?? "",
  effect: effect ?? "",
});

/**
 * The distinct claims among some names: a pod may name one 9,000 times, or one that no claim can have. One more than are
 * looked at shows that there are more.
 */
export const claimsIn = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter(isName).slice(0, mostClaims + 1);

// The claim of a generic ephemeral volume is named after its pod and volume.
const claimOf = (
  pod: string,
  { name, persistentVolumeClaim, ephemeral }: AsSent<V1Volume>,
): string[] => {
  if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
  return ephemeral === undefined ? [] : [`${pod}-${name}`];
};
