import type {
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1PersistentVolumeSpec,
  V1Pod,
  V1PodSpec,
  V1PodStatus,
  V1Volume,
} from "@kubernetes/client-node";
import type { NodeName } from "../../lambda/base/ids.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { between, type Duration } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { Host } from "../../lambda/drain/node-info.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { NodeDemand } from "../../lambda/drain/reschedulable-pod.ts";
import type { Resources } from "../../lambda/drain/resources.ts";
import type { DeviceClaim, ForecastPod, LocalData } from "../../lambda/forecast/forecast-pod.ts";
import { pathIn } from "../../lambda/kubernetes/api-path.ts";
import { type AsSent, instantOf } from "../../lambda/kubernetes/as-sent.ts";
import { type ListTools, partOf } from "../../lambda/kubernetes/bounded-list.ts";
import { type Collection, listed } from "../../lambda/kubernetes/collection.ts";
import { collectionOf } from "../../lambda/kubernetes/collections.ts";
import { absentIfNotFound } from "../../lambda/kubernetes/kube-fault.ts";
import { type ReadWithin, readWithin } from "../../lambda/kubernetes/listed-within.ts";
import { hostsAs } from "../../lambda/kubernetes/node-infos.ts";
import {
  boundedPodOf,
  keptBeyondUsual,
  onNode,
  type PodsWanted,
  podsAs,
} from "../../lambda/kubernetes/pod-lists.ts";
import { demandOf, reschedulablePodOf } from "../../lambda/kubernetes/reschedulable-pod-of.ts";
import { readJson } from "../../lambda/kubernetes/send-request.ts";
import { trimmedReschedulable } from "../../lambda/kubernetes/trimmed.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { listToolsOf, readBudgets } from "../connect/read-budgets.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { Devices } from "./device-claims.ts";
import { devicesIn } from "./device-reader.ts";
import { type SoftwareNode, softwareNodeOf } from "./node-software.ts";

/** Reads what a plan needs from a cluster, page by page. */
export class ClusterReader {
  readonly #tools: ListTools;

  constructor(access: Pick<ClusterAccess, "client" | "clock">) {
    this.#tools = listToolsOf(access);
  }

  nodes(): Promise<readonly Host<SoftwareNode>[]> {
    return this.#list(hostsAs(softwareNodeOf));
  }

  async pods(node: NodeName | "all"): Promise<ReadWithin<ForecastPod>> {
    const itemOf = (sent: AsSent<V1Pod>) => {
      const forecastPod = boundedForecastPodOf(sent);
      const { namespace, uid } = forecastPod.pod;
      return { namespace, uid, forecastPod };
    };
    const wanted = podsAs(node === "all" ? everywhere : onNode(node), itemOf, keptBeyondUsual);
    const { items, leftOut } = await readWithin(this.#tools.client, wanted);
    return { items: items.map(({ forecastPod }) => forecastPod), leftOut };
  }

  /** The pods of a StatefulSet at the revision of one of them; none if it has none. */
  async kin({ namespace, labels, controller }: Pod): Promise<readonly Pod[]> {
    const revision = labels[revisionLabel];
    if (revision === undefined || controller.kind === "none") return [];
    const { items } = await partOf<V1Pod, Pod>(
      {
        path: pathIn(namespace, "pods"),
        query: { labelSelector: `${revisionLabel} in (${revision})` },
        pageSize: 500,
        most: mostKin,
        itemsOf: (sent) => [boundedPodOf(sent)],
      },
      this.#tools,
    );
    return items.filter(
      (other) => "uid" in other.controller && other.controller.uid === controller.uid,
    );
  }

  /** The budgets of some namespaces; of all if there are many. */
  budgets(namespaces: readonly string[]): Promise<ReadWithin<Budget>> {
    return readBudgets(namespaces.length > few ? "all" : namespaces, this.#tools);
  }

  /** The ResourceClaims of some namespaces, and the nodes that have devices. */
  devices(namespaces: readonly string[]): Promise<Devices> {
    return devicesIn(namespaces, this.#tools);
  }

  /** The volumes of claims, which are given as `namespace/claim`. */
  async volumes(claims: readonly string[]): Promise<VolumesByClaim> {
    const bound = claims.length > few ? await this.#allBound() : await this.#bound(claims);
    return new Map(
      claims.flatMap((claim) => {
        const volume = bound.get(claim);
        return volume === undefined ? [] : [[claim, volume]];
      }),
    );
  }

  async #bound(claims: readonly string[]): Promise<VolumesByClaim> {
    const read = await sideBySide(claims, readsAtOnce, async (claim) => {
      const [namespace = "", name = ""] = claim.split("/");
      const path = pathIn(namespace, "persistentvolumeclaims", name);
      const found = await this.#read<AsSent<V1PersistentVolumeClaim>>(`claim ${claim}`, path);
      const volume = found === "absent" ? "" : volumeNameOf(found);
      return volume === "" ? [] : [[claim, await this.#volume(volume)] as const];
    });
    return new Map(read.flat());
  }

  async #volume(name: string): Promise<Volume> {
    const path = `/api/v1/persistentvolumes/${name}`;
    const found = await this.#read<AsSent<V1PersistentVolume>>(`volume ${name}`, path);
    return volumeOf(found === "absent" ? { metadata: { name } } : found);
  }

  async #allBound(): Promise<VolumesByClaim> {
    const path = "/api/v1/persistentvolumes";
    const shape = { title: "volumes", path, query: {}, start: "listed", uid: () => "" } as const;
    return new Map(await this.#list(collectionOf({ ...shape, itemOf: bindingOf })));
  }

  #read<T>(what: string, path: string): Promise<T | "absent"> {
    return this.#tools.client.ask(`reading ${what}`, (connection) =>
      absentIfNotFound(readJson<T>(connection, path)),
    );
  }

  #list<T>(wanted: Collection<T>): Promise<readonly T[]> {
    return listed(this.#tools.client, wanted);
  }
}

const revisionLabel = "controller-revision-hash";

// One list is cheaper than more single reads than this.
const few = 100;
const mostKin = 5000;
const mostLocalData = 64;
// A pod may have as many devices. https://kubernetes.io/docs/reference/kubernetes-api/resource/resource-claim-v1/
const mostDeviceClaims = 64;

const everywhere: PodsWanted = {
  title: "pods",
  where: "spec.nodeName!=",
  counted: "what is unusual",
};

/** Says that the pods of a namespace were not read. */
export const unreadPods = (namespace: string): string =>
  `pods of namespace ${namespace}: they are too many or too large`;

/** A pod as it is kept, whatever others have put into it. */
function boundedForecastPodOf(sent: AsSent<V1Pod>): ForecastPod {
  const forecastPod = forecastPodOf(sent);
  const localData = forecastPod.localData.slice(0, mostLocalData);
  const deviceClaims = forecastPod.deviceClaims.slice(0, mostDeviceClaims);
  return { ...forecastPod, ...trimmedReschedulable(forecastPod), localData, deviceClaims };
}

const bindingOf = (sent: AsSent<V1PersistentVolume>): readonly [string, Volume] => {
  const { namespace, name } = sent.spec?.claimRef ?? {};
  return [`${namespace}/${name}`, volumeOf(sent)];
};

/** Reads a pod of the Kubernetes API. The volumes of its claims are read later. */
export function forecastPodOf(sent: AsSent<V1Pod>): ForecastPod {
  const reschedulablePod = reschedulablePodOf(sent);
  const spec: AsSent<V1PodSpec> = sent.spec ?? { containers: [] };
  return {
    ...reschedulablePod,
    localData: (spec.volumes ?? []).flatMap(localDataIn),
    attached: [],
    requests: withoutExtended(reschedulablePod.requests, sent.status ?? {}),
    deviceClaims: deviceClaimsIn(spec, sent.status ?? {}),
    operated: "",
    room: "none",
    life:
      spec.restartPolicy === "Never" || spec.restartPolicy === "OnFailure"
        ? "until it ends"
        : "for ever",
    readyAfter: readyAfter(reschedulablePod.pod, sent.status ?? {}),
  };
}

// Certificates, tokens and the like are also mounted from the host, but are not data of the pod.
const isHarmless = /^\/(?:etc|dev|proc|sys|run|var\/run|lib\/modules|usr)(?:\/|$)/;

function localDataIn({ name, emptyDir, hostPath }: AsSent<V1Volume>): readonly LocalData[] {
  if (emptyDir !== undefined) return [{ volume: "emptyDir", name }];
  return hostPath === undefined || isHarmless.test(hostPath.path)
    ? []
    : [{ volume: "hostPath", name: hostPath.path }];
}

/** The claims of a pod's devices. One that was to be made from a template, and was not needed, has no name. */
function deviceClaimsIn(
  { resourceClaims = [] }: AsSent<V1PodSpec>,
  { resourceClaimStatuses = [], extendedResourceClaimStatus: extended }: AsSent<V1PodStatus>,
): readonly DeviceClaim[] {
  const made = new Map(resourceClaimStatuses.map((one) => [one.name, one.resourceClaimName]));
  const names = resourceClaims.flatMap(
    ({ name, resourceClaimName: own }) => own ?? made.get(name) ?? [],
  );
  const behind = extended === undefined ? [] : [extended.resourceClaimName];
  return [
    ...names.map((name) => ({ kind: "claim", name }) as const),
    ...behind.map((name) => ({ kind: "extended-resource", name }) as const),
  ];
}

/** The requests of a pod without the extended resources that a claim provides: no node has an amount of them. */
function withoutExtended(
  requests: Resources,
  { extendedResourceClaimStatus: extended }: AsSent<V1PodStatus>,
): Resources {
  const claimed = new Set((extended?.requestMappings ?? []).map((one) => one.resourceName));
  return Object.fromEntries(Object.entries(requests).filter(([name]) => !claimed.has(name)));
}

/** The time until the pod became ready; unknown after a restart of a container. */
function readyAfter(
  pod: Pod,
  { conditions = [], containerStatuses = [] }: AsSent<V1PodStatus>,
): Duration | "unknown" {
  const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
  const isFirst = containerStatuses.every(({ restartCount }) => restartCount === 0);
  if (ready?.lastTransitionTime === undefined || !isFirst) return "unknown";
  return between(pod.created, instantOf(ready.lastTransitionTime));
}

/** A PersistentVolume, as far as it restricts the nodes of a pod. */
interface Volume {
  readonly name: string;
  readonly demands: readonly NodeDemand[];
  /** The place of its data: on its node, attached to it, or neither. */
  readonly kind: "local" | "attached" | "shared";
}

/** Volumes by their claims: `namespace/claim`. */
type VolumesByClaim = ReadonlyMap<string, Volume>;

/** Reads a volume of the Kubernetes API. */
export function volumeOf({ metadata, spec = {} }: AsSent<V1PersistentVolume>): Volume {
  const name = metadata?.name ?? "";
  const required = spec.nodeAffinity?.required;
  return {
    name,
    demands: required === undefined ? [] : [demandOf(`volume ${name}`, required)],
    kind: volumeKindOf(spec),
  };
}

function volumeKindOf(spec: AsSent<V1PersistentVolumeSpec>): Volume["kind"] {
  const { local, hostPath, csi, awsElasticBlockStore } = spec;
  if (local !== undefined || hostPath !== undefined) return "local";
  if (awsElasticBlockStore !== undefined) return "attached";
  // File systems and buckets are mounted without being attached.
  return csi === undefined || /efs|fsx|s3|nfs|smb/.test(csi.driver) ? "shared" : "attached";
}

/** The name of a claim's volume; empty if it is not bound. */
const volumeNameOf = ({ spec }: AsSent<V1PersistentVolumeClaim>): string => spec?.volumeName ?? "";

/** A pod with the demands of its volumes on the node. */
export function withVolumes(forecastPod: ForecastPod, volumes: VolumesByClaim): ForecastPod {
  const { namespace, claims } = forecastPod.pod;
  const own = claims.flatMap((claim) => volumes.get(`${namespace}/${claim}`) ?? []);
  if (own.length === 0) return forecastPod;
  const named = (kind: Volume["kind"]) =>
    own.filter((one) => one.kind === kind).map(({ name }) => name);
  return {
    ...forecastPod,
    demands: [...forecastPod.demands, ...own.flatMap(({ demands }) => demands)],
    localData: [
      ...forecastPod.localData,
      ...named("local").map((name): LocalData => ({ volume: "local volume", name })),
    ],
    attached: named("attached"),
  };
}
