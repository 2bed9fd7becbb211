import type {
  V1DeploymentSpec,
  V1DeploymentStatus,
  V1ObjectMeta,
  V1PersistentVolumeClaimSpec,
  V1PersistentVolumeSpec,
  V1Pod,
  V2HorizontalPodAutoscalerSpec,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { seconds } from "../base/time.ts";
import { selects } from "../drain/budget.ts";
import type { Host } from "../drain/node-info.ts";
import type { Pod } from "../drain/pod.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { Cheapen, RoomWrite } from "../making-room/next-room-step.ts";
import {
  costAnnotation,
  isCopied,
  lowestCost,
  ofObject,
  recordAnnotation,
  recorded,
  recordLabel,
  recordText,
} from "../making-room/record.ts";
import { isOf, type Replica, type Scaler, type Workload } from "../making-room/workload.ts";
import type { Workloads } from "../registrations/kubernetes.port.ts";
import { groupPathIn, pathIn } from "./api-path.ts";
import { type AsSent, instantOf, itemsIn, type PageSent } from "./as-sent.ts";
import { needed, selectorOf } from "./budget-of.ts";
import { listed } from "./collection.ts";
import { podsAs } from "./collections.ts";
import type { KubeClient } from "./kube-connection.ts";
import { absentIfNotFound, tryRefusal, unlessChanged } from "./kube-fault.ts";
import { hostsAs } from "./node-infos.ts";
import { nodeOf } from "./node-of.ts";
import { demandOf, reschedulablePodOf } from "./reschedulable-pod-of.ts";
import { readJson, sendRequest } from "./send-request.ts";

/** Where each kind is, and which field of its spec counts. */
const kinds = {
  Deployment: ["apps/v1", "deployments", "replicas"],
  ReplicaSet: ["apps/v1", "replicasets", "replicas"],
  HorizontalPodAutoscaler: ["autoscaling/v2", "horizontalpodautoscalers", "minReplicas"],
  ScaledObject: ["keda.sh/v1alpha1", "scaledobjects", "minReplicaCount"],
} as const;

type WorkloadKind = keyof typeof kinds;

/** Whatever is read here: each kind has a part of it, and what is absent has nothing. */
interface SentWorkload {
  readonly metadata?: AsSent<V1ObjectMeta>;
  readonly spec?: AsSent<
    Partial<V1DeploymentSpec & V2HorizontalPodAutoscalerSpec & VolumeSpec & Keda>
  >;
  readonly status?: Partial<AsSent<V1DeploymentStatus>>;
}

type VolumeSpec = V1PersistentVolumeClaimSpec & V1PersistentVolumeSpec;

/** @see https://keda.sh/docs/latest/reference/scaledobject-spec/ */
interface Keda {
  readonly minReplicaCount: number;
  readonly maxReplicaCount: number;
}

const reschedulablePodsOn = podsAs(reschedulablePodOf, () => "");

const pathOf = (kind: WorkloadKind, namespace: string, name: string): string =>
  groupPathIn(kinds[kind][0], namespace, kinds[kind][1], name);

/** The Deployments and ReplicaSets of a cluster and their autoscalers, over the Kubernetes API. */
export class KubeWorkloads implements Workloads {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async makerOf({ namespace, controller }: Pod): Promise<Workload | string> {
    if (controller.kind === "none") return "none";
    const { type, name } = controller;
    if (type !== "ReplicaSet") return type;
    const { metadata } = await this.#find(pathOf(type, namespace, name));
    const owners = metadata?.ownerReferences ?? [];
    const owner = owners.find((one) => one.controller === true) ?? { ...controller, kind: type };
    if (owner.kind !== "Deployment" && owner.kind !== type) return owner.kind;
    const workload = await this.again({ ...owner, kind: owner.kind, namespace });
    return workload === "gone" ? type : workload;
  }

  async again({ kind, namespace, name, uid }: Parameters<Workloads["again"]>[0]) {
    const sent = await this.#find(pathOf(kind, namespace, name));
    return sent.metadata?.uid === uid ? this.#workload(kind, sent) : "gone";
  }

  async #workload(kind: Workload["kind"], sent: SentWorkload): Promise<Workload> {
    const { namespace = "", name } = sent.metadata ?? {};
    const [group, plural] = kinds.HorizontalPodAutoscaler;
    const all = await this.#list(groupPathIn(group, namespace, plural));
    const isOwn = ({ spec: { scaleTargetRef: to } = {} }: SentWorkload): boolean =>
      to?.kind === kind && to.name === name;
    const own = all.filter(isOwn);
    return workloadOf(kind, sent, await Promise.all(own.map((one) => this.#scaler(one))));
  }

  async #scaler({ metadata = {}, spec }: SentWorkload): Promise<Scaler> {
    const { namespace = "", ownerReferences = [] } = metadata;
    const { minReplicas: min = 1, maxReplicas: max = 1 } = spec ?? {};
    const keda = ownerReferences.find(({ kind }) => kind === "ScaledObject");
    const kept = keda && (await this.#find(pathOf("ScaledObject", namespace, keda.name)));
    if (kept?.metadata === undefined)
      return { ...countingOf("HorizontalPodAutoscaler", metadata), min, max, state: "followed" };
    // The defaults of KEDA for a ScaledObject. Its autoscaler never has fewer than one.
    const { minReplicaCount: least = 0, maxReplicaCount: most = 100 } = kept.spec ?? {};
    const state = min === Math.max(1, least) ? "followed" : "behind";
    return { ...countingOf("ScaledObject", kept.metadata), min: least, max: most, state };
  }

  async replicasOf(workload: Workload): Promise<readonly Replica[]> {
    const { namespace, selector } = workload;
    const path = pathIn(namespace, "pods");
    const sent = await this.#list<V1Pod>(path, selector);
    // A selector may find pods of others.
    return sent.map(replicaOf).filter(({ pod }) => isOf(pod, workload));
  }

  async recorded(): Promise<readonly Workload[]> {
    const found = Object.entries(kinds).map(async ([kind, [group, plural]]) => {
      const all = this.#list(`/apis/${group}/${plural}`, `${recordLabel} in (${recorded})`);
      const sent = await (kind === "ScaledObject" ? all.catch(noneIfUnknown) : all);
      return sent.flatMap(({ metadata: { namespace = "", name } = {}, spec }) =>
        targetOf(namespace, spec?.scaleTargetRef ?? { kind, name }),
      );
    });
    const read = Array.from(new Map((await Promise.all(found)).flat()), async ([path, kind]) => {
      const sent = await this.#find(path);
      return sent.metadata === undefined ? [] : [await this.#workload(kind, sent)];
    });
    return (await Promise.all(read)).flat();
  }

  async namespaceWishes(namespace: string): Promise<Labels> {
    return (await this.#find(pathIn(namespace))).metadata?.annotations ?? {};
  }

  volumesOf({ namespace, claims }: Workload) {
    const found = claims.map(async (claim) => {
      const { spec } = await this.#find(pathIn(namespace, "persistentvolumeclaims", claim));
      const { accessModes: modes = [], volumeName: name = "" } = spec ?? {};
      const volume = name === "" ? {} : await this.#find(`/api/v1/persistentvolumes/${name}`);
      const required = volume.spec?.nodeAffinity?.required;
      return { claim, modes, demands: required ? [demandOf(`volume ${name}`, required)] : [] };
    });
    return Promise.all(found);
  }

  hosts(): Promise<readonly Host[]> {
    return listed(this.#client, hostsAs(nodeOf));
  }

  pods(node: NodeName): Promise<readonly ReschedulablePod[]> {
    return listed(this.#client, reschedulablePodsOn(node));
  }

  write(step: Cheapen | RoomWrite) {
    const { path, body } = step.kind === "cheapen" ? cheapening(step) : rescaling(step);
    const patch = { method: "PATCH", path, body, type: "application/merge-patch+json" } as const;
    return this.#client.ask(`changing ${path}`, (connection) =>
      unlessChanged(sendRequest(connection, patch), "written" as const),
    );
  }

  async #find(path: string): Promise<SentWorkload> {
    const found = await this.#client.ask(`reading ${path}`, (connection) =>
      absentIfNotFound(readJson<SentWorkload>(connection, path)),
    );
    return found === "absent" ? {} : found;
  }

  #list<T = SentWorkload>(path: string, labelSelector?: string): Promise<readonly AsSent<T>[]> {
    const query = labelSelector === undefined ? {} : { labelSelector };
    return this.#client.ask(`listing ${path}`, async (connection) =>
      itemsIn(path, await readJson<PageSent<T>>(connection, path, { query })),
    );
  }
}

/** A cluster without KEDA answers with a 404 that has no Status; a proxy that has lost the cluster would refuse the other lists too. */
function noneIfUnknown(cause: unknown): readonly never[] {
  if (cause instanceof Fault && tryRefusal(cause.cause)?.code === 404) return [];
  throw cause;
}

/** Where a workload is, and its kind. Whoever may write an autoscaler may write one without a target, and keeps no other from being put back. */
const targetOf = (
  namespace: string,
  {
    kind = "",
    name = "",
  }: { readonly kind?: string | undefined; readonly name?: string | undefined },
) => {
  const of = kind === "ReplicaSet" ? kind : "Deployment";
  return name === "" ? [] : [[pathOf(of, namespace, name), of] as const];
};

const cheapening = ({ pod: { namespace, name, uid } }: Cheapen) => ({
  path: pathIn(namespace, "pods", name),
  body: { metadata: { uid, annotations: { [costAnnotation]: lowestCost } } },
});

function rescaling({ to, record, count }: RoomWrite) {
  const { kind, namespace, name, uid, resourceVersion } = to;
  const [label, text] =
    record === "none" ? [null, null] : [recorded, `${recordText(record)} ${ofObject(uid)}`];
  const labels = { [recordLabel]: label };
  const metadata = { uid, resourceVersion, labels, annotations: { [recordAnnotation]: text } };
  const spec = count === "as it is" ? {} : { [kinds[kind][2]]: count };
  return { path: pathOf(kind, namespace, name), body: { metadata, spec } };
}

function workloadOf(
  kind: Workload["kind"],
  sent: SentWorkload,
  scalers: Workload["scalers"],
): Workload {
  const { metadata, spec = {}, status = {} } = sent;
  const { replicas = 1, strategy = {}, template, selector: { matchLabels = {} } = {} } = spec;
  const { minReadySeconds = 0 } = spec;
  const { observedGeneration = 0, updatedReplicas } = status;
  const isBare = kind === "ReplicaSet";
  // The defaults of the API server for a Deployment; a ReplicaSet has no rollout.
  const { maxSurge = isBare ? 1 : "25%" } = strategy.rollingUpdate ?? {};
  const counts = [status.replicas, isBare ? replicas : updatedReplicas];
  const isCounted = counts.every((one) => one === replicas);
  const isSettled = isCounted && observedGeneration >= (metadata?.generation ?? 0);
  const { volumes = [] } = template?.spec ?? {};
  return {
    ...countingOf(kind, metadata),
    ...{ replicas, scalers, maxSurge: Math.max(1, needed(maxSurge, replicas)) },
    selector: Object.entries(matchLabels)
      .map(([key, value]) => `${key} in (${value})`)
      .join(),
    ...{ strategy: strategy.type ?? "RollingUpdate", minReady: seconds(minReadySeconds) },
    state: isSettled ? "settled" : "under way",
    cost: costOf(template),
    claims: volumes.flatMap((one) => one.persistentVolumeClaim?.claimName ?? []),
  };
}

const costOf = (template: Pick<SentWorkload, "metadata"> = {}): string =>
  template.metadata?.annotations?.[costAnnotation] ?? "";

function countingOf<K extends WorkloadKind>(kind: K, metadata: AsSent<V1ObjectMeta> = {}) {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  const { labels = {}, annotations: all = {}, managedFields = [] } = metadata;
  // `kubectl rollout undo` brings back the annotations of an older revision, a record of then among them, but no label.
  const { [recordAnnotation]: record = "", ...others } = all;
  const isOwn = labels[recordLabel] === recorded && !isCopied(record, uid);
  const annotations = isOwn ? all : others;
  const writers = managedFields.filter(
    ({ fieldsV1 }) => `f:${kinds[kind][2]}` in Object(Object(fieldsV1 ?? {})["f:spec"] ?? {}),
  );
  const managers = writers.map(({ manager = "" }) => manager);
  return { kind, namespace, name, uid, resourceVersion, annotations, managers };
}

/**
 * Reads a pod, what the scheduler says about it, and where a replica may not be: because of host ports or its own
 * anti-affinity.
 */
function replicaOf(sent: AsSent<V1Pod>): Replica {
  const reschedulablePod = reschedulablePodOf(sent);
  const conditions = sent.status?.conditions ?? [];
  const refused = conditions.find(
    ({ type, status, reason }) =>
      type === "PodScheduled" && status === "False" && reason === "Unschedulable",
  );
  const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
  const readySince = instantOf(ready?.lastTransitionTime);
  const { containers = [], affinity } = sent.spec ?? {};
  const hasHostPorts = containers.some(({ ports = [] }) =>
    ports.some((port) => "hostPort" in port),
  );
  const ports = hasHostPorts ? [{ from: "host ports", label: "kubernetes.io/hostname" }] : [];
  const terms = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  // Terms about other namespaces are left to the scheduler.
  const own = terms.filter(
    ({ namespaces, namespaceSelector, labelSelector }) =>
      namespaces === undefined &&
      namespaceSelector === undefined &&
      selects(selectorOf(labelSelector), reschedulablePod.pod.labels),
  );
  const apart = own.map(({ topologyKey: label }) => ({ from: "anti-affinity", label }));
  const unplaced = refused?.message ?? "";
  return { ...reschedulablePod, unplaced, readySince, apart: [...ports, ...apart] };
}
