import type {
  V1Deployment,
  V1Namespace,
  V1PersistentVolumeClaim,
  V1Pod,
  V1ReplicaSet,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import type { Labels } from "../base/labels.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import {
  costAnnotation,
  lowestCost,
  type RoomRecord,
  recordAnnotation,
  recorded,
  recordLabel,
  recordText,
} from "../making-room/record.ts";
import type { Replica, Scaler, Workload } from "../making-room/workload.ts";
import type { Maker, OneNodeClaim, Rescaling, Workloads } from "../registrations/workloads.port.ts";
import type { AsSent } from "./as-sent.ts";
import { groupPathIn, pathIn } from "./core-path.ts";
import type { KubeClient } from "./kube-client.ts";
import { absentIfNotFound, isNotFound, tryRefusal } from "./kube-fault.ts";
import { itemsIn, type PageSent } from "./page-sent.ts";
import { type KubeRequest, readJson, sendRequest } from "./send-request.ts";
import { replicaOf, selectorText, workloadOf } from "./workload-of.ts";

const apps = "apps/v1";
const autoscaling = "autoscaling/v2";

/** The Deployments of a cluster and their autoscalers, over the Kubernetes API. */
export class KubeWorkloads implements Workloads {
  readonly #client: KubeClient;
  /** The selectors of workloads that were read, as a query has them. */
  readonly #selectors = new WeakMap<Workload, string>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async makerOf({ namespace, controller }: Pod): Promise<Maker> {
    if (controller.kind === "none") return { kind: "other", type: "none" };
    if (controller.type !== "ReplicaSet") return { kind: "other", type: controller.type };
    const set = await this.#find<V1ReplicaSet>(
      groupPathIn(apps, namespace, "replicasets", controller.name),
    );
    const owners = set === "absent" ? [] : (set.metadata?.ownerReferences ?? []);
    const owner = owners.find((one) => one.controller === true && one.kind === "Deployment");
    if (owner === undefined) return { kind: "other", type: "ReplicaSet" };
    const workload = await this.again({ namespace, name: owner.name, uid: owner.uid });
    return workload === "gone"
      ? { kind: "other", type: "ReplicaSet" }
      : { kind: "workload", workload };
  }

  async again({
    namespace,
    name,
    uid,
  }: Pick<Workload, "name" | "namespace" | "uid">): Promise<Workload | "gone"> {
    const path = groupPathIn(apps, namespace, "deployments", name);
    const sent = await this.#find<V1Deployment>(path);
    return sent === "absent" || sent.metadata?.uid !== uid ? "gone" : this.#workload(sent);
  }

  async #workload(sent: AsSent<V1Deployment>): Promise<Workload> {
    const path = groupPathIn(
      autoscaling,
      sent.metadata?.namespace ?? "",
      "horizontalpodautoscalers",
    );
    const read = workloadOf(sent, await this.#list<V2HorizontalPodAutoscaler>(path, {}));
    this.#selectors.set(read, selectorText(sent.spec?.selector ?? {}));
    return read;
  }

  async replicasOf(workload: Workload): Promise<readonly Replica[]> {
    const { namespace, name } = workload;
    const labelSelector = this.#selectors.get(workload) ?? "";
    const sent = await this.#list<V1Pod>(pathIn(namespace, "pods"), { labelSelector });
    // A selector may find pods of others; a ReplicaSet is named after its Deployment and the hash of its template.
    return sent.map(replicaOf).filter(({ pod: { controller, labels } }) => {
      const set = `${name}-${labels["pod-template-hash"]}`;
      return controller.kind === "owner" && controller.name === set;
    });
  }

  async recorded(): Promise<readonly Workload[]> {
    const query = { labelSelector: `${recordLabel} in (${recorded})` };
    const [deployments, scalers] = await Promise.all([
      this.#list<V1Deployment>(`/apis/${apps}/deployments`, query),
      this.#list<V2HorizontalPodAutoscaler>(`/apis/${autoscaling}/horizontalpodautoscalers`, query),
    ]);
    const titles = new Set(deployments.map(({ metadata }) => titleOf(metadata ?? {})));
    const raised = await Promise.all(
      scalers
        .map(({ metadata, spec }) => ({
          namespace: metadata?.namespace ?? "",
          name: spec?.scaleTargetRef.name ?? "",
        }))
        .filter((target) => !titles.has(titleOf(target)))
        .map(({ namespace, name }) =>
          this.#find<V1Deployment>(groupPathIn(apps, namespace, "deployments", name)),
        ),
    );
    const found = raised.flatMap((one) => (one === "absent" ? [] : [one]));
    return Promise.all([...deployments, ...found].map((one) => this.#workload(one)));
  }

  async namespaceWishes(namespace: string): Promise<Labels> {
    const read = await this.#find<V1Namespace>(pathIn(namespace));
    return read === "absent" ? {} : (read.metadata?.annotations ?? {});
  }

  async oneNodeClaim({ namespace, claims }: Workload): Promise<OneNodeClaim | "none"> {
    for (const name of claims) {
      const claim = await this.#find<V1PersistentVolumeClaim>(
        pathIn(namespace, "persistentvolumeclaims", name),
      );
      const modes = claim === "absent" ? [] : (claim.spec?.accessModes ?? []);
      if (!modes.some((mode) => manyNodes.includes(mode)))
        return { claim: name, mode: modes.join(", ") || "absent" };
    }
    return "none";
  }

  rescale(
    workload: Workload,
    record: RoomRecord | "none",
    count: number | "as it is",
  ): Promise<Rescaling> {
    const { namespace, name } = workload;
    const spec = count === "as it is" ? {} : { replicas: count };
    const path = groupPathIn(apps, namespace, "deployments", name);
    return this.#write(`scaling deployment ${namespace}/${name}`, {
      path,
      body: { metadata: recordBody(workload, record), spec },
    });
  }

  raise(
    { namespace }: Workload,
    scaler: Scaler,
    { record, min }: { readonly record: RoomRecord | "none"; readonly min: number | "as it is" },
  ): Promise<Rescaling> {
    const { name } = scaler;
    const spec = min === "as it is" ? {} : { minReplicas: min };
    return this.#write(`changing autoscaler ${namespace}/${name}`, {
      path: groupPathIn(autoscaling, namespace, "horizontalpodautoscalers", name),
      body: { metadata: recordBody(scaler, record), spec },
    });
  }

  cheapen(pod: Pod): Promise<Rescaling> {
    const { namespace, name, uid } = pod;
    const annotations = { [costAnnotation]: lowestCost };
    return this.#write(`annotating pod ${podTitle(pod)}`, {
      path: pathIn(namespace, "pods", name),
      body: { metadata: { uid, annotations } },
    });
  }

  #find<T>(path: string): Promise<AsSent<T> | "absent"> {
    return this.#client.ask(`reading ${path}`, (connection) =>
      absentIfNotFound(readJson<AsSent<T>>(connection, path)),
    );
  }

  #list<T>(path: string, query: { readonly labelSelector?: string }) {
    return this.#client.ask(`listing ${path}`, async (connection) =>
      itemsIn(path, await readJson<PageSent<T>>(connection, path, { query })),
    );
  }

  #write(doing: string, request: Pick<KubeRequest, "body" | "path">): Promise<Rescaling> {
    const patch = { ...request, method: "PATCH", type: "application/merge-patch+json" } as const;
    return this.#client.ask(doing, async (connection): Promise<Rescaling> => {
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

// Pods on several nodes can use such a volume.
const manyNodes = ["ReadWriteMany", "ReadOnlyMany"];

const titleOf = ({ namespace = "", name = "" }: { namespace?: string; name?: string }): string =>
  `${namespace}/${name}`;

/** The part of a patch that records a change, if nobody has written the object since it was read. */
const recordBody = (
  { uid, resourceVersion }: Pick<Workload, "resourceVersion" | "uid">,
  record: RoomRecord | "none",
) => ({
  uid,
  resourceVersion,
  labels: { [recordLabel]: record === "none" ? null : recorded },
  annotations: { [recordAnnotation]: record === "none" ? null : recordText(record) },
});
