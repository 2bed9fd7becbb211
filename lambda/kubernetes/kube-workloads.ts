import type {
  V1Deployment,
  V1Namespace,
  V1ObjectMeta,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1ReplicaSet,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import type { NodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import type { Pod } from "../drain/pod.ts";
import { isTerminal } from "../drain/pod-class.ts";
import type { Resources } from "../drain/resources.ts";
import type { NodeDemand } from "../drain/seeker.ts";
import { type Host, sumOf } from "../drain/tenancy.ts";
import {
  costAnnotation,
  lowestCost,
  type RoomRecord,
  recordAnnotation,
  recorded,
  recordLabel,
  recordText,
} from "../making-room/record.ts";
import { isOf, type Replica, type Scaler, type Workload } from "../making-room/workload.ts";
import type {
  Maker,
  Rescaling,
  VolumeDemands,
  Workloads,
} from "../registrations/kubernetes.port.ts";
import { groupPathIn, pathIn } from "./api-path.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { listed } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import { demandOf } from "./demands.ts";
import type { KubeClient } from "./kube-client.ts";
import { absentIfNotFound, isNotFound, tryRefusal } from "./kube-fault.ts";
import { nodeOf } from "./node-of.ts";
import { seekerOf } from "./seeker-of.ts";
import { type KubeRequest, readJson, sendRequest } from "./send-request.ts";
import { hostsAs } from "./tenancies.ts";
import {
  replicaOf,
  type ScaledObject,
  scaledObjectOf,
  scalerOf,
  workloadOf,
} from "./workload-of.ts";

/** Where each kind is, and which field of its spec counts. */
const kinds = {
  Deployment: ["apps/v1", "deployments", "replicas"],
  ReplicaSet: ["apps/v1", "replicasets", "replicas"],
  HorizontalPodAutoscaler: ["autoscaling/v2", "horizontalpodautoscalers", "minReplicas"],
  ScaledObject: ["keda.sh/v1alpha1", "scaledobjects", "minReplicaCount"],
} as const;

interface Named<K> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
}

function pathOf({ kind, namespace, name }: Named<keyof typeof kinds>): string {
  const [group, plural] = kinds[kind];
  return groupPathIn(group, namespace, plural, name);
}

/** The Deployments and ReplicaSets of a cluster and their autoscalers, over the Kubernetes API. */
export class KubeWorkloads implements Workloads {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async makerOf({ namespace, controller }: Pod): Promise<Maker> {
    if (controller.kind === "none") return { kind: "other", type: "none" };
    const { type, name } = controller;
    if (type !== "ReplicaSet") return { kind: "other", type };
    const set = await this.#find<V1ReplicaSet>(pathOf({ kind: type, namespace, name }));
    const owners = set === "absent" ? [] : (set.metadata?.ownerReferences ?? []);
    const owner = owners.find((one) => one.controller === true) ?? { ...controller, kind: type };
    if (owner.kind !== "Deployment" && owner.kind !== type)
      return { kind: "other", type: owner.kind };
    const workload = await this.again({ ...owner, kind: owner.kind, namespace });
    return workload === "gone" ? { kind: "other", type } : workload;
  }

  async again(named: Named<Workload["kind"]> & Pick<Workload, "uid">) {
    const sent = await this.#find<V1Deployment>(pathOf(named));
    const isSame = sent !== "absent" && sent.metadata?.uid === named.uid;
    return isSame ? this.#workload(named.kind, sent) : "gone";
  }

  async #workload(kind: Workload["kind"], sent: AsSent<V1Deployment>): Promise<Workload> {
    const { namespace = "", name } = sent.metadata ?? {};
    const [group, plural] = kinds.HorizontalPodAutoscaler;
    const all = await this.#list<V2HorizontalPodAutoscaler>(groupPathIn(group, namespace, plural));
    const own = all.find(({ spec }) => {
      const target = spec?.scaleTargetRef;
      return target?.kind === kind && target.name === name;
    });
    return workloadOf(kind, sent, own === undefined ? "none" : await this.#scaler(own));
  }

  async #scaler(sent: AsSent<V2HorizontalPodAutoscaler>): Promise<Scaler> {
    const { namespace = "", ownerReferences = [] } = sent.metadata ?? {};
    const owner = ownerReferences.find(({ kind }) => kind === "ScaledObject");
    const kept = scalerOf(sent);
    if (owner === undefined) return kept;
    const named = { kind: "ScaledObject", namespace, name: owner.name } as const;
    const found = await this.#find<ScaledObject>(pathOf(named));
    return found === "absent" ? kept : scaledObjectOf(found, kept);
  }

  async replicasOf(workload: Workload): Promise<readonly Replica[]> {
    const { namespace, selector } = workload;
    const sent = await this.#list<V1Pod>(pathIn(namespace, "pods"), selector);
    // A selector may find pods of others.
    return sent.map(replicaOf).filter(({ pod }) => isOf(pod, workload));
  }

  async recorded(): Promise<readonly Workload[]> {
    const recordedOf = (kind: keyof typeof kinds) => {
      const [group, plural] = kinds[kind];
      const path = `/apis/${group}/${plural}`;
      return this.#list<V1Deployment & V2HorizontalPodAutoscaler>(
        path,
        `${recordLabel} in (${recorded})`,
      );
    };
    const [deployments, replicaSets, ...raised] = await Promise.all([
      recordedOf("Deployment"),
      recordedOf("ReplicaSet"),
      recordedOf("HorizontalPodAutoscaler"),
      recordedOf("ScaledObject").catch(noneIfUnknown),
    ]);
    const own = [
      ...deployments.map((sent) => ["Deployment", sent] as const),
      ...replicaSets.map((sent) => ["ReplicaSet", sent] as const),
    ];
    const known = new Set(own.map(([kind, { metadata }]) => pathOf({ kind, ...idOf(metadata) })));
    const found = raised.flat().map(async ({ metadata, spec }) => {
      const { kind, name = "" } = spec?.scaleTargetRef ?? {};
      const of = kind === "ReplicaSet" ? kind : "Deployment";
      const path = pathOf({ ...idOf(metadata), kind: of, name });
      // Whoever may write an autoscaler may write one without a target, and keeps no other from being put back.
      if (name === "" || known.has(path)) return [];
      const sent = await this.#find<V1Deployment>(path);
      return sent === "absent" ? [] : [[of, sent] as const];
    });
    const all = [...own, ...(await Promise.all(found)).flat()];
    return Promise.all(all.map(([kind, sent]) => this.#workload(kind, sent)));
  }

  async namespaceWishes(namespace: string): Promise<Labels> {
    const read = await this.#find<V1Namespace>(pathIn(namespace));
    return read === "absent" ? {} : (read.metadata?.annotations ?? {});
  }

  async volumeDemands({ namespace, claims }: Workload): Promise<VolumeDemands> {
    const demands: NodeDemand[] = [];
    for (const claim of claims) {
      const path = pathIn(namespace, "persistentvolumeclaims", claim);
      const found = await this.#find<V1PersistentVolumeClaim>(path);
      const { accessModes = [], volumeName = "" } = found === "absent" ? {} : (found.spec ?? {});
      if (!accessModes.some((mode) => manyNodes.includes(mode)))
        return { kind: "one-node", claim, mode: accessModes.join(", ") || "absent" };
      demands.push(...(await this.#demandsOf(volumeName)));
    }
    return { kind: "any", demands };
  }

  async #demandsOf(volume: string): Promise<readonly NodeDemand[]> {
    if (volume === "") return [];
    const found = await this.#find<V1PersistentVolume>(`/api/v1/persistentvolumes/${volume}`);
    const required = found === "absent" ? undefined : found.spec?.nodeAffinity?.required;
    return required === undefined ? [] : [demandOf(`volume ${volume}`, required)];
  }

  hosts(): Promise<readonly Host[]> {
    return listed(this.#client, hostsAs(nodeOf));
  }

  async askedOn(node: NodeName): Promise<Resources> {
    const pods = await listed(this.#client, seekersOn(node));
    return sumOf(pods.filter(({ pod }) => !isTerminal(pod)));
  }

  rescale(
    counting: Workload | Scaler,
    record: RoomRecord | "none",
    count: number | "as it is",
  ): Promise<Rescaling> {
    const [, , field] = kinds[counting.kind];
    const { uid, resourceVersion } = counting;
    // If nobody has written the object since it was read.
    const metadata = {
      ...{ uid, resourceVersion },
      labels: { [recordLabel]: record === "none" ? null : recorded },
      annotations: { [recordAnnotation]: record === "none" ? null : recordText(record) },
    };
    const spec = count === "as it is" ? {} : { [field]: count };
    return this.#write({ path: pathOf(counting), body: { metadata, spec } });
  }

  cheapen({ namespace, name, uid }: Pod): Promise<Rescaling> {
    const annotations = { [costAnnotation]: lowestCost };
    return this.#write({
      path: pathIn(namespace, "pods", name),
      body: { metadata: { uid, annotations } },
    });
  }

  #find<T>(path: string): Promise<AsSent<T> | "absent"> {
    return this.#client.ask(`reading ${path}`, (connection) =>
      absentIfNotFound(readJson<AsSent<T>>(connection, path)),
    );
  }

  #list<T>(path: string, labelSelector?: string) {
    const query = labelSelector === undefined ? {} : { labelSelector };
    return this.#client.ask(`listing ${path}`, async (connection) =>
      itemsIn(path, await readJson<PageSent<T>>(connection, path, { query })),
    );
  }

  #write(request: Pick<KubeRequest, "body" | "path">): Promise<Rescaling> {
    const patch = { ...request, method: "PATCH", type: "application/merge-patch+json" } as const;
    return this.#client.ask(`changing ${request.path}`, async (connection): Promise<Rescaling> => {
      try {
        await sendRequest(connection, patch);
        return "written";
      } catch (cause) {
        if (tryRefusal(cause)?.code === 409) return "changed";
        if (isNotFound(cause)) return "gone";
        throw cause;
      }
    });
  }
}

/** A cluster without KEDA answers with a 404 that has no Status; a proxy that has lost the cluster would refuse the other lists too. */
function noneIfUnknown(cause: unknown): readonly never[] {
  if (cause instanceof Fault && tryRefusal(cause.cause)?.code === 404) return [];
  throw cause;
}

// Pods on several nodes can use such a volume.
const manyNodes = ["ReadWriteMany", "ReadOnlyMany"];

const idOf = ({ namespace = "", name = "" }: AsSent<V1ObjectMeta> = {}) => ({ namespace, name });

const seekersOn = (node: NodeName) => {
  const query = { fieldSelector: `spec.nodeName=${node}` };
  const same = { path: "/api/v1/pods", query, start: "listed", uid: () => "" } as const;
  return collectionOf({ ...same, title: `pods of node ${node}`, itemOf: seekerOf });
};
