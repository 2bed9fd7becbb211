import type {
  V1DeploymentSpec,
  V1DeploymentStatus,
  V1ObjectMeta,
  V1PersistentVolumeClaimSpec,
  V1PersistentVolumeSpec,
  V1Pod,
  V2CrossVersionObjectReference,
  V2HorizontalPodAutoscalerSpec,
} from "@kubernetes/client-node";
import { Bell } from "../base/bell.ts";
import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { described } from "../base/malformed.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { later, seconds } from "../base/time.ts";
import { selects } from "../drain/budget.ts";
import { type Host, sumOf } from "../drain/node-info.ts";
import type { Pod } from "../drain/pod.ts";
import { isTerminal } from "../drain/pod-class.ts";
import type { Resources } from "../drain/resources.ts";
import { Semaphore } from "../http/semaphore.ts";
import type { RecordedWorkloads, RoomRecords, Workloads } from "../making-room/making-room.port.ts";
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
  type RoomRef,
  type Scaler,
  type SurgedWorkload,
  type Workload,
} from "../making-room/workload.ts";
import type { Note } from "../notice/outcome.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import { groupPathIn, isName, pathIn } from "./api-path.ts";
import { type AsSent, instantOf } from "./as-sent.ts";
import { type BoundedList, type ListTools, longestAnswer, partOf } from "./bounded-list.ts";
import { needed, selectorOf } from "./budget-of.ts";
import { listed } from "./collection.ts";
import { countingOf, countingPath, kinds } from "./counting.ts";
import type { KubeClient } from "./kube-connection.ts";
import { absentIfNotFound, onlyOnce, unlessChanged } from "./kube-fault.ts";
import { hostsAs } from "./node-infos.ts";
import { nodeOf } from "./node-of.ts";
import { claimsIn, podOf } from "./pod-of.ts";
import { demandOf, requestsOf, reschedulablePodOf } from "./reschedulable-pod-of.ts";
import { roomRecords, skippedNote } from "./room-records.ts";
import { metadataOfOne, readJson, sendRequest } from "./send-request.ts";

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
const mostReplicas = 5000;
const mostPodsOnNode = 2000;
// So many answers are in memory at once, whatever they are about.
const atOnce = 6;
// Several workloads of a node are looked at side by side, and ask the same.
const freshAutoscalers = seconds(1);
const freshPods = seconds(5);
const longestTurn = seconds(10);
const longestOpening = seconds(3);
const mostOwners = 50;
const fewAtOnce = 5;

// Of other groups a kind of the same name is something else.
const apps = "apps/";

/** The Deployments and ReplicaSets of a cluster and their autoscalers, over the Kubernetes API. */
export class KubeWorkloads implements Workloads {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #tools: ListTools;
  readonly #autoscalers: TtlCache<readonly Autoscaler[]>;
  readonly #scaledObjects: TtlCache<ScaledObject | "absent">;
  readonly #asked: TtlCache<Resources | "unread">;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
    this.#tools = { client, clock, gate: new Semaphore(() => atOnce) };
    this.#autoscalers = new TtlCache(clock, () => freshAutoscalers);
    this.#scaledObjects = new TtlCache(clock, () => freshAutoscalers);
    this.#asked = new TtlCache(clock, () => freshPods);
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
  ): Promise<readonly Autoscaler[]> {
    const [only, ...others] = known ?? [];
    if (known !== undefined && only === undefined) return [];
    // Of a ScaledObject nobody knows which autoscaler it keeps.
    const isOne = others.length === 0 && only?.kind === "HorizontalPodAutoscaler";
    if (isOne)
      return this.#listAutoscalers(namespace, { fieldSelector: `metadata.name=${only.name}` });
    return this.#autoscalers.recall(namespace, () => this.#listAutoscalers(namespace, {}));
  }

  async #listAutoscalers(
    namespace: string,
    query: { readonly fieldSelector?: string },
  ): Promise<readonly Autoscaler[]> {
    const [group, plural] = kinds.HorizontalPodAutoscaler;
    const path = groupPathIn(group, namespace, plural);
    const { items, cut } = await this.#list<SentWorkload, Autoscaler>({
      path,
      query,
      pageSize: 25,
      most: mostAutoscalers,
      itemsOf: (sent) => [autoscalerOf(sent)],
    });
    if (cut === "") return items;
    throw new Fault(
      "cluster.refused",
      `listing ${path}: ${cut}, so nobody looks which of them scales what`,
    );
  }

  async #workload(
    kind: Workload["kind"],
    sent: SentWorkload,
    all: readonly Autoscaler[],
  ): Promise<Workload> {
    const { name } = sent.metadata ?? {};
    const own = all.filter(({ target }) => target.kind === kind && target.name === name);
    return workloadOf(kind, sent, await sideBySide(own, fewAtOnce, (one) => this.#scaler(one)));
  }

  async #scaler({ keda, target: _, ...autoscaler }: Autoscaler): Promise<Scaler> {
    const { namespace, min } = autoscaler;
    const kept = keda === "" ? "absent" : await this.#scaledObject(namespace, keda);
    if (kept === "absent") return { ...autoscaler, state: "followed" };
    const { target: __, ...scaledObject } = kept;
    // Its autoscaler never has fewer than one.
    const state = min === Math.max(1, kept.min) ? "followed" : "behind";
    return { ...scaledObject, state };
  }

  /** Many autoscalers may name the same one as their owner. */
  #scaledObject(namespace: string, name: string): Promise<ScaledObject | "absent"> {
    return this.#scaledObjects.recall(`${namespace}/${name}`, async () => {
      const sent = await this.#find(countingPath("ScaledObject", namespace, name));
      return sent.metadata === undefined ? "absent" : scaledObjectOf(sent);
    });
  }

  async replicasOf(workload: Workload): Promise<readonly Replica[] | string> {
    const { namespace, selector } = workload;
    const { items, cut } = await this.#list<V1Pod, Replica>({
      path: pathIn(namespace, "pods"),
      query: { labelSelector: selector },
      pageSize: 500,
      most: mostReplicas,
      // A selector may find pods of others.
      itemsOf: (sent) => [replicaOf(sent)].filter(({ pod }) => isOf(pod, workload)),
    });
    return cut === "" ? items : `its pods are not looked at: ${cut}`;
  }

  records(): Promise<RoomRecords> {
    return roomRecords(this.#tools);
  }

  /** Reads each workload once, however many records are about it, and the autoscalers of the namespace once. */
  async recordedBy(records: readonly RoomRef[]): Promise<RecordedWorkloads> {
    const ends = later(this.#clock.now(), longestTurn);
    const read = new Map<string, Promise<Workload | "gone">>();
    const found = new Map<string, Workload>();
    const skipped: Note[] = [];
    const [first] = records;
    if (first === undefined) return { workloads: [], skipped };
    try {
      const scalers = await this.#autoscalersIn(first.namespace);
      for (const record of records)
        if (this.#clock.now() >= ends) skipped.push({ about: refTitle(record), why: noTime });
        else
          await this.#recordedOne(record, { scalers, read }).then(
            (workload) => workload === "gone" || found.set(workload.uid, workload),
            (cause: unknown) => skipped.push(skippedNote(refTitle(record), cause)),
          );
    } catch (cause) {
      skipped.push(skippedNote(`namespace ${first.namespace}`, cause));
    }
    return { workloads: [...found.values()], skipped };
  }

  async #recordedOne(record: RoomRef, { scalers, read }: ReadTargets): Promise<Workload | "gone"> {
    const { namespace, uid } = record;
    const { kind, name } = await this.#targetOf(record, scalers);
    if (!isName(name))
      throw new Fault("cluster.refused", `no object can have the name ${described(name)}`);
    const key = `${kind}/${name}`;
    const known = read.get(key) ?? this.#named({ kind, namespace, name }, scalers);
    read.set(key, known);
    const workload = await known;
    // Somebody may have put another one in its place.
    const isOther = workload !== "gone" && kind === record.kind && workload.uid !== uid;
    return isOther ? "gone" : workload;
  }

  async #named(
    { kind, namespace, name }: Owner,
    scalers: readonly Autoscaler[],
  ): Promise<Workload | "gone"> {
    const sent = await this.#find(countingPath(kind, namespace, name));
    return sent.metadata === undefined ? "gone" : this.#workload(kind, sent, scalers);
  }

  async #targetOf(
    { kind, namespace, name, uid }: RoomRef,
    scalers: readonly Autoscaler[],
  ): Promise<Target> {
    if (kind === "Deployment" || kind === "ReplicaSet") return { kind, name };
    if (kind === "HorizontalPodAutoscaler") {
      const { target } = scalers.find((one) => one.uid === uid) ?? { target: noTarget };
      return target;
    }
    const scaledObject = await this.#scaledObject(namespace, name);
    return scaledObject === "absent" ? noTarget : scaledObject.target;
  }

  /** A drain begins once it has this, so that what cannot be read in time counts as what is not surged. */
  async surgedAmong(pods: readonly Pod[]): Promise<readonly SurgedWorkload[]> {
    const found: SurgedWorkload[] = [];
    const done = new Bell();
    const spaces = Map.groupBy(pods.flatMap(ownersOf), ({ namespace }) => namespace);
    const read = Array.from(spaces.values(), (some) => this.#addSurged(some, found));
    void Promise.all(read).then(() => done.ring());
    await this.#clock.sleep(later(this.#clock.now(), longestOpening), done);
    return [...found];
  }

  async #addSurged(owners: readonly Owner[], found: SurgedWorkload[]): Promise<void> {
    const distinct = new Map(owners.map((one) => [`${one.kind} ${one.name}`, one]));
    const some = [...distinct.values()].slice(0, mostOwners);
    await sideBySide(some, fewAtOnce, async ({ kind, namespace, name }) => {
      const path = countingPath(kind, namespace, name);
      const sent = await this.#find(path, metadataAlone).catch(nothing);
      const read = countingOf(kind, sent.metadata);
      if (trySurge(read.annotations) !== undefined) found.push({ ...read, kind });
    });
  }

  async namespaceWishes(namespace: string): Promise<Labels> {
    return (await this.#find(pathIn(namespace))).metadata?.annotations ?? {};
  }

  volumesOf({ namespace, claims }: Workload): Promise<readonly ClaimedVolume[]> {
    return sideBySide(claims, fewAtOnce, (claim) => this.#volumeOf(namespace, claim));
  }

  async #volumeOf(namespace: string, claim: string): Promise<ClaimedVolume> {
    const { spec } = await this.#find(pathIn(namespace, "persistentvolumeclaims", claim));
    const { accessModes: modes = [], volumeName: name = "" } = spec ?? {};
    const volume = await this.#find(`/api/v1/persistentvolumes/${encodeURIComponent(name)}`);
    const required = volume.spec?.nodeAffinity?.required;
    return { claim, modes, demands: required ? [demandOf(`volume ${name}`, required)] : [] };
  }

  hosts(): Promise<readonly Host[]> {
    return listed(this.#client, hostsAs(nodeOf));
  }

  asked(node: NodeName): Promise<Resources | "unread"> {
    return this.#asked.recall(node, async () => {
      const { items, cut } = await this.#list<V1Pod, Pick<Replica, "requests">>({
        path: "/api/v1/pods",
        query: { fieldSelector: `spec.nodeName=${node}` },
        pageSize: 500,
        most: mostPodsOnNode,
        itemsOf: (sent) => requestsIn(sent),
      });
      return cut === "" ? sumOf(items) : "unread";
    });
  }

  write(step: Cheapen | RoomWrite) {
    const { path, body } = step.kind === "cheapen" ? cheapening(step) : rescaling(step);
    const patch = { method: "PATCH", path, body, type: "application/merge-patch+json" } as const;
    if (step.kind === "write") this.#forget(step.to);
    return this.#client.ask(`changing ${path}`, (connection) =>
      unlessChanged(sendRequest(connection, patch), () => "written" as const),
    );
  }

  /** Reads an object; empty if there is none. Of a name that no object can have there is none either. */
  async #find(path: string, form: Parameters<typeof readJson>[2] = {}): Promise<SentWorkload> {
    if (!isName(decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)))) return {};
    const doing = `reading ${path}`;
    const found = await this.#tools.gate.run(() =>
      this.#client.ask(doing, (connection) =>
        absentIfNotFound(
          readJson<SentWorkload>(connection, path, { limit: longestAnswer, ...form }),
        ).catch(onlyOnce(doing)),
      ),
    );
    return found === "absent" ? {} : found;
  }

  #list<S, T>(list: BoundedList<S, T>) {
    return partOf(list, this.#tools);
  }

  /** What is written, or was by somebody else, is read again. */
  #forget({ namespace, name }: Pick<Workload, "name" | "namespace">): void {
    this.#autoscalers.forget(namespace);
    this.#scaledObjects.forget(`${namespace}/${name}`);
  }
}

const noTime = "no time was left";
const noTarget: Target = { kind: "Deployment", name: "" };
const nothing = (): SentWorkload => ({});

const refTitle = ({ kind, namespace, name }: RoomRef): string => `${kind} ${namespace}/${name}`;

type Target = Pick<Workload, "kind" | "name">;

/** A HorizontalPodAutoscaler, as far as it counts here. */
interface Autoscaler extends Omit<Scaler, "kind" | "state"> {
  readonly kind: "HorizontalPodAutoscaler";
  readonly target: Target;
  /** The ScaledObject that keeps it; empty if none. */
  readonly keda: string;
}

/** A ScaledObject, as far as it counts here. */
interface ScaledObject extends Omit<Scaler, "kind" | "state"> {
  readonly kind: "ScaledObject";
  readonly target: Target;
}

interface ReadTargets {
  readonly scalers: readonly Autoscaler[];
  readonly read: Map<string, Promise<Workload | "gone">>;
}

type ClaimedVolume = Awaited<ReturnType<Workloads["volumesOf"]>>[number];

function autoscalerOf({ metadata = {}, spec = {} }: SentWorkload): Autoscaler {
  const { minReplicas: min = 1, maxReplicas: max = 1, scaleTargetRef: to } = spec;
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === "ScaledObject");
  return {
    ...countingOf("HorizontalPodAutoscaler", metadata),
    min,
    max,
    keda: owner?.name ?? "",
    target: targetIn(to),
  };
}

/** The defaults of KEDA. @see https://keda.sh/docs/latest/reference/scaledobject-spec/ */
function scaledObjectOf({ metadata, spec = {} }: SentWorkload): ScaledObject {
  const { minReplicaCount: min = 0, maxReplicaCount: max = 100, scaleTargetRef: to } = spec;
  return {
    ...countingOf("ScaledObject", metadata),
    min,
    max,
    target: targetIn({ kind: "Deployment", ...to }),
  };
}

/** Of kinds that no room is made for, nothing has the name. */
const targetIn = ({
  apiVersion = apps,
  kind,
  name = "",
}: Partial<V2CrossVersionObjectReference> = {}): Target =>
  (kind === "Deployment" || kind === "ReplicaSet") && apiVersion.startsWith(apps)
    ? { kind, name }
    : noTarget;

const requestsIn = (sent: AsSent<V1Pod>) =>
  isTerminal(podOf(sent)) ? [] : [{ requests: requestsOf(sent.spec ?? { containers: [] }) }];

const metadataAlone = {
  accept: metadataOfOne,
  limit: seconds(3),
} as const;

/** The workloads that may have made a pod: a ReplicaSet is named after its Deployment and the hash of its template. */
function ownersOf({ namespace, controller, labels }: Pod): readonly Owner[] {
  if (controller.kind === "none" || controller.type !== "ReplicaSet") return [];
  const { name } = controller;
  const end = `-${labels["pod-template-hash"]}`;
  return [
    { kind: "ReplicaSet", namespace, name },
    ...(name.endsWith(end)
      ? [{ kind: "Deployment", namespace, name: name.slice(0, -end.length) } as const]
      : []),
  ];
}

type Owner = Pick<Workload, "kind" | "name" | "namespace">;

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
    replicas,
    scalers,
    maxSurge: Math.max(1, needed(maxSurge, replicas)),
    selector: Object.entries(matchLabels)
      .map(([key, value]) => `${key} in (${value})`)
      .join(),
    strategy: strategy.type ?? "RollingUpdate",
    minReady: seconds(minReadySeconds),
    state: isSettled ? "settled" : "under way",
    cost: costOf(template),
    claims: claimsIn(volumes.flatMap((one) => one.persistentVolumeClaim?.claimName ?? [])),
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
