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
import { described } from "../base/malformed.ts";
import { seconds } from "../base/time.ts";
import { selects } from "../drain/budget.ts";
import type { Host } from "../drain/node-info.ts";
import type { Pod } from "../drain/pod.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import type { Cheapen, RoomWrite } from "../making-room/next-room-step.ts";
import {
  costAnnotation,
  lowestCost,
  ofObject,
  recordAnnotation,
  recorded,
  recordLabel,
  recordText,
  trySurge,
} from "../making-room/record.ts";
import {
  isOf,
  type Replica,
  type Scaler,
  type SurgedWorkload,
  type Workload,
} from "../making-room/workload.ts";
import type { Note } from "../notice/outcome.ts";
import type { RecordedWorkloads, Workloads } from "../registrations/kubernetes.port.ts";
import { groupPathIn, isName, pathIn } from "./api-path.ts";
import { type AsSent, instantOf, itemsIn, type PageSent } from "./as-sent.ts";
import { needed, selectorOf } from "./budget-of.ts";
import { listed } from "./collection.ts";
import { podsAs } from "./collections.ts";
import { countingOf, countingPath, kinds } from "./counting.ts";
import type { KubeClient } from "./kube-connection.ts";
import { absentIfNotFound, onlyOnce, unlessChanged } from "./kube-fault.ts";
import { hostsAs } from "./node-infos.ts";
import { nodeOf } from "./node-of.ts";
import { demandOf, reschedulablePodOf } from "./reschedulable-pod-of.ts";
import {
  longestAnswer,
  pagesUpTo,
  type RoomRef,
  roomRecords,
  skippedNote,
} from "./room-records.ts";
import { readJson, sendRequest } from "./send-request.ts";

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

// Of larger namespaces nobody says which of them scales what.
const mostAutoscalers = 200;

// Of other groups a kind of the same name is something else.
const apps = "apps/";

const reschedulablePodsOn = podsAs(reschedulablePodOf, () => "");

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
    const { metadata } = await this.#find(countingPath(type, namespace, name));
    const owners = metadata?.ownerReferences ?? [];
    const owner = owners.find((one) => one.controller === true) ?? { ...controller, kind: type };
    if (owner.kind !== "Deployment" && owner.kind !== type) return owner.kind;
    const workload = await this.again({ ...owner, kind: owner.kind, namespace });
    return workload === "gone" ? type : workload;
  }

  async again(workload: Parameters<Workloads["again"]>[0]) {
    const { kind, namespace, name, uid, scalers } = workload;
    const sent = await this.#find(countingPath(kind, namespace, name));
    if (sent.metadata?.uid !== uid) return "gone";
    return this.#workload(kind, sent, await this.#autoscalersIn(namespace, scalers));
  }

  /** The HorizontalPodAutoscalers of a namespace, or only the known ones of a workload. One with far too many gets no room, and stops nobody else. */
  async #autoscalersIn(
    namespace: string,
    known?: Workload["scalers"],
  ): Promise<readonly SentWorkload[]> {
    const [group, plural] = kinds.HorizontalPodAutoscaler;
    const path = groupPathIn(group, namespace, plural);
    const [only, ...others] = known ?? [];
    if (known !== undefined && only === undefined) return [];
    // Of a ScaledObject nobody knows which autoscaler it keeps.
    const isOne = others.length === 0 && only?.kind === "HorizontalPodAutoscaler";
    const query = isOne ? { fieldSelector: `metadata.name=${only.name}` } : {};
    const { items, isWhole } = await pagesUpTo<SentWorkload>(
      mostAutoscalers,
      { path, query },
      this.#client,
    );
    if (isWhole) return items;
    throw new Fault(
      "cluster.refused",
      `listing ${path}: more than ${mostAutoscalers} autoscalers, so nobody looks which of them scales what`,
    );
  }

  async #workload(
    kind: Workload["kind"],
    sent: SentWorkload,
    all: readonly SentWorkload[],
  ): Promise<Workload> {
    const { name } = sent.metadata ?? {};
    const isOwn = ({ spec: { scaleTargetRef: to } = {} }: SentWorkload): boolean =>
      to?.kind === kind && to.name === name && (to.apiVersion ?? apps).startsWith(apps);
    const own = all.filter(isOwn);
    return workloadOf(kind, sent, await Promise.all(own.map((one) => this.#scaler(one))));
  }

  async #scaler({ metadata = {}, spec }: SentWorkload): Promise<Scaler> {
    const { namespace = "", ownerReferences = [] } = metadata;
    const { minReplicas: min = 1, maxReplicas: max = 1 } = spec ?? {};
    const keda = ownerReferences.find(({ kind }) => kind === "ScaledObject");
    const kept = keda && (await this.#find(countingPath("ScaledObject", namespace, keda.name)));
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

  async recorded(): Promise<RecordedWorkloads> {
    const { records, skipped } = await roomRecords(this.#client);
    const spaces = Map.groupBy(records, ({ namespace }) => namespace);
    const read = await Promise.all(
      Array.from(spaces, ([namespace, some]) => this.#recordedIn(namespace, some)),
    );
    return {
      workloads: read.flatMap(({ workloads }) => workloads),
      skipped: [...skipped, ...read.flatMap((one) => one.skipped)],
    };
  }

  /** Reads the recorded workloads of a namespace one by one, and its autoscalers once. */
  async #recordedIn(namespace: string, records: readonly RoomRef[]): Promise<RecordedWorkloads> {
    const workloads = new Map<string, Workload>();
    const skipped: Note[] = [];
    try {
      const scalers = await this.#autoscalersIn(namespace);
      for (const record of records)
        try {
          const workload = await this.#recordedBy(record, scalers);
          if (workload !== "none") workloads.set(workload.uid, workload);
        } catch (cause) {
          skipped.push(skippedNote(`${record.kind} ${namespace}/${record.name}`, cause));
        }
    } catch (cause) {
      skipped.push(skippedNote(`namespace ${namespace}`, cause));
    }
    return { workloads: [...workloads.values()], skipped };
  }

  async #recordedBy(record: RoomRef, scalers: readonly SentWorkload[]): Promise<Workload | "none"> {
    const { kind, namespace, uid } = record;
    const target = await this.#targetOf(record, scalers);
    if (!isName(target.name))
      throw new Fault("cluster.refused", `no object can have the name ${described(target.name)}`);
    const sent = await this.#find(countingPath(target.kind, namespace, target.name));
    // Somebody may have put another one in its place.
    const isOther = kind === target.kind && sent.metadata?.uid !== uid;
    if (sent.metadata === undefined || isOther) return "none";
    return this.#workload(target.kind, sent, scalers);
  }

  async #targetOf(
    { kind, namespace, name, uid }: RoomRef,
    scalers: readonly SentWorkload[],
  ): Promise<Pick<Workload, "kind" | "name">> {
    if (kind === "Deployment" || kind === "ReplicaSet") return { kind, name };
    const sent =
      kind === "ScaledObject"
        ? await this.#find(countingPath(kind, namespace, name))
        : scalers.find(({ metadata }) => metadata?.uid === uid);
    const to = sent?.spec?.scaleTargetRef;
    return { kind: to?.kind === "ReplicaSet" ? to.kind : "Deployment", name: to?.name ?? "" };
  }

  async surgedAmong(pods: readonly Pod[]): Promise<readonly SurgedWorkload[]> {
    const owners = new Map(pods.flatMap(ownersOf).map((one) => [`${one.kind} ${one.name}`, one]));
    const found = Array.from(owners.values(), async ({ kind, namespace, name }) => {
      const sent = await this.#find(countingPath(kind, namespace, name), metadataAlone);
      const read = countingOf(kind, sent.metadata);
      return trySurge(read.annotations) === undefined ? [] : [{ ...read, kind }];
    });
    // What cannot be read in time counts as one that is not surged.
    return (await Promise.all(found.map((one) => one.catch(() => [])))).flat();
  }

  async namespaceWishes(namespace: string): Promise<Labels> {
    return (await this.#find(pathIn(namespace))).metadata?.annotations ?? {};
  }

  volumesOf({ namespace, claims }: Workload) {
    const found = claims.map(async (claim) => {
      const { spec } = await this.#find(pathIn(namespace, "persistentvolumeclaims", claim));
      const { accessModes: modes = [], volumeName: name = "" } = spec ?? {};
      const volume = await this.#find(`/api/v1/persistentvolumes/${encodeURIComponent(name)}`);
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
      unlessChanged(sendRequest(connection, patch), () => "written" as const),
    );
  }

  /** Reads an object; empty if there is none. Of a name that no object can have there is none either. */
  async #find(path: string, form: Parameters<typeof readJson>[2] = {}): Promise<SentWorkload> {
    if (!isName(decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)))) return {};
    const doing = `reading ${path}`;
    const found = await this.#client.ask(doing, (connection) =>
      absentIfNotFound(
        readJson<SentWorkload>(connection, path, { limit: longestAnswer, ...form }),
      ).catch(onlyOnce(doing)),
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

const metadataAlone = {
  accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  limit: seconds(3),
} as const;

/** The workloads that may have made a pod: a ReplicaSet is named after its Deployment and the hash of its template. */
function ownersOf({ namespace, controller, labels }: Pod) {
  if (controller.kind === "none" || controller.type !== "ReplicaSet") return [];
  const { name } = controller;
  const end = `-${labels["pod-template-hash"]}`;
  return [
    { kind: "ReplicaSet", namespace, name },
    ...(name.endsWith(end)
      ? [{ kind: "Deployment", namespace, name: name.slice(0, -end.length) } as const]
      : []),
  ] as const;
}

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
  return { path: countingPath(kind, namespace, name), body: { metadata, spec } };
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
