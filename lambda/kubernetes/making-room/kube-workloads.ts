import type { V1Pod } from "@kubernetes/client-node";
import { answeredBy } from "../../base/answered-by.ts";
import type { Clock } from "../../base/clock.port.ts";
import { productName } from "../../base/contract.ts";
import { Fault } from "../../base/fault.ts";
import type { NodeName } from "../../base/ids.ts";
import type { Labels } from "../../base/labels.ts";
import { described } from "../../base/malformed.ts";
import { sideBySide } from "../../base/side-by-side.ts";
import { later, minutes, seconds } from "../../base/time.ts";
import type { Budget } from "../../drain/budget.ts";
import type { Host } from "../../drain/node-info.ts";
import { isBare, type Pod } from "../../drain/pod.ts";
import { isActive, isTerminating } from "../../drain/pod-class.ts";
import type { Resources } from "../../drain/resources.ts";
import { Semaphore } from "../../http/semaphore.ts";
import { ByOthers } from "../../making-room/by-others.ts";
import type {
  RecordedWorkloads,
  RoomRecords,
  Workloads,
} from "../../making-room/making-room.port.ts";
import {
  costAnnotation,
  labelOf,
  ofObject,
  recordAnnotation,
  recordLabel,
  recordText,
} from "../../making-room/record.ts";
import type { EndingPod, RoomWrite } from "../../making-room/room-step.ts";
import {
  isOf,
  type Replica,
  type RoomRef,
  type Workload,
  type WorkloadMetadata,
} from "../../making-room/workload.ts";
import type { Note } from "../../notice/outcome.ts";
import { TtlCache } from "../../process/ttl-cache.ts";
import { isName, pathIn } from "../api-path.ts";
import { type BoundedList, type ListTools, partOf } from "../bounded-list.ts";
import type { KubeClient } from "../kube-connection.ts";
import { tryRefusal, unlessChanged } from "../kube-fault.ts";
import { KubeHosts } from "../kube-hosts.ts";
import { podOf } from "../pod-of.ts";
import { isOfAdmission, isOfDeafWebhook, readStatus } from "../refused-request.ts";
import { demandOf } from "../reschedulable-pod-of.ts";
import { metadataOfOne, sendRequest } from "../send-request.ts";
import { type Autoscaler, Autoscalers } from "./autoscalers.ts";
import { countingOf, countingPath, kinds } from "./counting.ts";
import { replicaOf } from "./replica-of.ts";
import { roomRecords, skippedNote } from "./room-records.ts";
import { selectorText } from "./selector-text.ts";
import { type SentWorkload, sentAt } from "./sent-workload.ts";
import { workloadOf } from "./workload-of.ts";

const mostReplicas = 5000;
// A kubelet may make mirror pods in any namespace, with any labels, but none with a service account; all others have one.
const noMirrors = "spec.serviceAccountName!=";
// At a path of a megabyte the API server ends the connection, and with it the requests of all drains.
const longestSelector = 8192;
const longestTurn = seconds(10);
const longestWait = seconds(3);
const metadataAtOnce = 10;
const fewAtOnce = 5;
// Several workloads of a namespace are looked at one after another, and each twice.
const fresh = seconds(1);
const ownersLast = minutes(10);

/** The Deployments and ReplicaSets of a cluster and their autoscalers, over the Kubernetes API. */
export class KubeWorkloads implements Workloads {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #tools: ListTools;
  readonly #autoscalers: Autoscalers;
  readonly #hosts: KubeHosts;
  readonly #wishes: TtlCache<Labels>;
  readonly #owners: TtlCache<Readonly<Record<"kind" | "name", string>>>;
  readonly #metadataGate = new Semaphore(() => metadataAtOnce);

  constructor(hosts: KubeHosts) {
    this.#client = hosts.tools.client;
    this.#clock = hosts.tools.clock;
    this.#tools = hosts.tools;
    this.#autoscalers = new Autoscalers(hosts.tools);
    this.#hosts = hosts;
    this.#owners = new TtlCache(hosts.tools.clock, () => ownersLast);
    this.#wishes = new TtlCache(hosts.tools.clock, () => fresh);
  }

  async ownerOf({ namespace, controller }: Pod): Promise<Workload | string> {
    if (controller.kind === "none") return "none";
    const { type, name } = controller;
    if (type !== "ReplicaSet") return type;
    const { metadata } = await this.#find(countingPath(type, namespace, name));
    const owner = controllerIn(metadata) ?? { ...controller, kind: type };
    if (owner.kind !== "Deployment" && owner.kind !== type) return owner.kind;
    const workload = await this.reload({ ...owner, kind: owner.kind, namespace });
    return workload === "gone" ? type : workload;
  }

  async reload(workload: Parameters<Workloads["reload"]>[0]) {
    const { kind, namespace, name, uid, scalers } = workload;
    const sent = await this.#find(countingPath(kind, namespace, name));
    if (sent.metadata?.uid !== uid) return "gone";
    return this.#workload(kind, sent, await this.#autoscalers.in(namespace, scalers));
  }

  async #workload(
    kind: Workload["kind"],
    sent: SentWorkload,
    all: readonly Autoscaler[],
  ): Promise<Workload> {
    const { name = "" } = sent.metadata ?? {};
    return workloadOf(kind, sent, await this.#autoscalers.of({ kind, name }, all));
  }

  async replicasOf(workload: Workload): Promise<readonly Replica[] | string> {
    const { namespace, selector } = workload;
    if (selector.length > longestSelector) return "the selector of its pods is too long";
    const { items, cut } = await this.#pods<Replica>(namespace, selector, {
      // A selector may find pods of others.
      itemsOf: (sent) => [replicaOf(sent)].filter(({ pod }) => isOf(pod, workload)),
    });
    return cut === "" ? items : `its pods are not looked at: ${cut}`;
  }

  async othersUnder({ namespace, selector }: Budget, workload: Workload) {
    if (selector.kind === "nothing") return [];
    const text = selectorText(selector.requirements);
    if (text.length > longestSelector) return "the selector of its budget is too long";
    const { items, cut } = await this.#pods<Pod>(namespace, text, {
      itemsOf: (sent) =>
        [podOf(sent)].filter((pod) => staysOrComesBack(pod) && !isOf(pod, workload)),
      isEnough: (others) => others.length > 0,
    });
    const isKnown = cut === "" || items.length > 0;
    return isKnown ? items : `the pods of its budget are not looked at: ${cut}`;
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
      const scalers = await this.#autoscalers.in(first.namespace);
      for (const record of records)
        if (this.#clock.now() >= ends) skipped.push({ about: refTitle(record), why: noTime });
        else
          await this.#recordedOne(record, scalers, read).then(
            (workload) => workload === "gone" || found.set(workload.uid, workload),
            (cause: unknown) => skipped.push(skippedNote(refTitle(record), cause)),
          );
    } catch (cause) {
      skipped.push(skippedNote(`namespace ${first.namespace}`, cause));
    }
    return { workloads: [...found.values()], skipped };
  }

  async #recordedOne(
    record: RoomRef,
    scalers: readonly Autoscaler[],
    read: Map<string, Promise<Workload | "gone">>,
  ): Promise<Workload | "gone"> {
    const { namespace, uid } = record;
    const { kind, name } = await this.#autoscalers.targetOf(record, scalers);
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

  /** An eviction waits for this, so that it waits for no list. */
  async makerOf(pod: Pod): Promise<WorkloadMetadata | "none" | "unread"> {
    const ends = later(this.#clock.now(), longestWait);
    const found = await answeredBy(ends, this.#makerOf(pod).catch(unread), this.#clock);
    return found === "unanswered" ? "unread" : found;
  }

  /** A ReplicaSet is asked for its owner once in a while, and for its count only if it has none. */
  async #makerOf({ namespace, controller }: Pod): Promise<WorkloadMetadata | "none"> {
    if (controller.kind === "none" || controller.type !== "ReplicaSet") return "none";
    const { name, uid } = controller;
    const { kind, ...owner } = await this.#owners.recall(
      `${namespace}/${name}/${uid}`,
      async () => {
        const metadata = await this.#metadataAt(countingPath("ReplicaSet", namespace, name));
        return controllerIn(metadata) ?? { kind: "ReplicaSet", name };
      },
    );
    if (kind !== "Deployment" && kind !== "ReplicaSet") return "none";
    const metadata = await this.#metadataAt(countingPath(kind, namespace, owner.name));
    return { ...countingOf(kind, metadata), kind };
  }

  async #metadataAt(path: string): Promise<SentWorkload["metadata"]> {
    const tools = { ...this.#tools, gate: this.#metadataGate };
    return (await sentAt(path, tools, metadataAlone)).metadata;
  }

  namespaceWishes(namespace: string): Promise<Labels> {
    return this.#wishes.recall(namespace, async () => {
      const { metadata } = await this.#find(pathIn(namespace));
      return metadata?.annotations ?? {};
    });
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
    return this.#hosts.hosts();
  }

  asked(node: NodeName): Promise<Resources | "unread"> {
    return this.#hosts.asked(node);
  }

  write(change: EndingPod | RoomWrite) {
    const { path, body } = "cost" in change ? cheapening(change) : rescaling(change);
    // By this name a record counts, whatever a proxy makes of the user agent.
    const named = `${path}?fieldManager=${productName}`;
    const type = "application/merge-patch+json";
    const patch = { method: "PATCH", path: named, body, type } as const;
    if ("to" in change) this.#autoscalers.forget(change.to);
    const doing = `changing ${path}`;
    return this.#client.ask(doing, (connection) =>
      unlessChanged(sendRequest(connection, patch), () => "written" as const).catch(
        asReason(doing),
      ),
    );
  }

  #find(path: string, form: Parameters<typeof sentAt>[2] = {}): Promise<SentWorkload> {
    return sentAt(path, this.#tools, form);
  }

  #pods<T>(
    namespace: string,
    labelSelector: string,
    items: Pick<BoundedList<V1Pod, T>, "isEnough" | "itemsOf">,
  ) {
    const query = { labelSelector, fieldSelector: noMirrors };
    const list = { path: pathIn(namespace, "pods"), query, pageSize: 500, most: mostReplicas };
    return partOf<V1Pod, T>({ ...list, ...items }, this.#tools);
  }
}

/** The workloads of a cluster that nobody else looks at. */
export const kubeWorkloads = (client: KubeClient, clock: Clock): KubeWorkloads =>
  new KubeWorkloads(new KubeHosts(client, clock));

/** Throws what a write threw, as a reason where admission has refused it: a tenant may have a webhook or a policy. */
const asReason =
  (doing: string) =>
  (cause: unknown): never => {
    const { code = 0, body = "" } = tryRefusal(cause) ?? {};
    const status = readStatus(body);
    const isByOthers = isOfAdmission(status) || isOfDeafWebhook(status);
    throw isByOthers ? new ByOthers(`${doing}: HTTP ${code} ${status.message}`) : cause;
  };

const noTime = "no time was left";

/** Whether a pod is there, or its controller makes another one in its place. */
const staysOrComesBack = (pod: Pod): boolean =>
  isActive(pod) || (isTerminating(pod) && !isBare(pod));

const unread = () => "unread" as const;

const refTitle = ({ kind, namespace, name }: RoomRef): string => `${kind} ${namespace}/${name}`;

type ClaimedVolume = Awaited<ReturnType<Workloads["volumesOf"]>>[number];

const metadataAlone = {
  accept: metadataOfOne,
  limit: longestWait,
} as const;

/** The controller of an object, if it has one. */
const controllerIn = (metadata: SentWorkload["metadata"]) =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true);

type Owner = Pick<Workload, "kind" | "name" | "namespace">;

const cheapening = ({ pod: { namespace, name, uid }, cost }: EndingPod) => ({
  path: pathIn(namespace, "pods", name),
  body: { metadata: { uid, annotations: { [costAnnotation]: cost } } },
});

function rescaling({ to, record, count }: RoomWrite) {
  const { kind, namespace, name, uid, resourceVersion } = to;
  const text = record === "none" ? null : `${recordText(record)} ${ofObject(uid)}`;
  const isUp = text !== null && record !== "none" && record.phase === "up";
  const labels = { [recordLabel]: isUp ? labelOf(text) : null };
  const metadata = { uid, resourceVersion, labels, annotations: { [recordAnnotation]: text } };
  const spec = count === "as it is" ? {} : { [kinds[kind][2]]: count };
  return { path: countingPath(kind, namespace, name), body: { metadata, spec } };
}
