import {
  CoreV1Api,
  PolicyV1Api,
  StorageV1Api,
  type V1Node,
  type V1Pod,
  type V1PodDisruptionBudget,
  type V1VolumeAttachment,
} from "@kubernetes/client-node";
import { ObjectSerializer } from "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js";
import type { NodeName } from "../../../domain/ids.ts";
import type { Attachment } from "../../../domain/node/attachment.ts";
import type { Node } from "../../../domain/node/node.ts";
import { type Budget, budgetTitle } from "../../../domain/pod/budget.ts";
import type { Pod } from "../../../domain/pod/pod.ts";
import { attachmentOf } from "../objects/attachment-of.ts";
import { budgetOf } from "../objects/budget-of.ts";
import { nodeOf } from "../objects/node-of.ts";
import { podOf } from "../objects/pod-of.ts";
import type { Collection } from "./informer.ts";

const pageSize = 500;

/** The pods that are bound to a node. */
export function podsOf(node: NodeName): Collection<Pod> {
  const fieldSelector = `spec.nodeName=${node}`;
  return {
    title: `pods of node ${node}`,
    path: "/api/v1/pods",
    query: { fieldSelector },
    start: "listed",
    async page(connection, next) {
      const { items, metadata } = await new CoreV1Api(
        connection.configuration(),
      ).listPodForAllNamespaces({ fieldSelector, limit: pageSize, ...continued(next) });
      return { items: items.map(podOf), ...place(metadata) };
    },
    read: (object) => podOf(model<V1Pod>(object, "V1Pod")),
    uid: ({ uid }) => uid,
  };
}

/** The node of a name, while there is one. */
export function nodesNamed(name: NodeName): Collection<Node> {
  const fieldSelector = `metadata.name=${name}`;
  return {
    title: `node ${name}`,
    path: "/api/v1/nodes",
    query: { fieldSelector },
    start: "streamed",
    async page(connection, next) {
      const { items, metadata } = await new CoreV1Api(connection.configuration()).listNode({
        fieldSelector,
        limit: pageSize,
        ...continued(next),
      });
      return { items: items.map(nodeOf), ...place(metadata) };
    },
    read: (object) => nodeOf(model<V1Node>(object, "V1Node")),
    uid: ({ uid }) => uid,
  };
}

/** All PodDisruptionBudgets of the cluster. */
export const budgets: Collection<Budget> = {
  title: "disruption budgets",
  path: "/apis/policy/v1/poddisruptionbudgets",
  query: {},
  start: "streamed",
  async page(connection, next) {
    const { items, metadata } = await new PolicyV1Api(
      connection.configuration(),
    ).listPodDisruptionBudgetForAllNamespaces({ limit: pageSize, ...continued(next) });
    return { items: items.map(budgetOf), ...place(metadata) };
  },
  read: (object) => budgetOf(model<V1PodDisruptionBudget>(object, "V1PodDisruptionBudget")),
  uid: budgetTitle,
};

/** All VolumeAttachments of the cluster. */
export const attachments: Collection<Attachment> = {
  title: "volume attachments",
  path: "/apis/storage.k8s.io/v1/volumeattachments",
  query: {},
  start: "streamed",
  async page(connection, next) {
    const { items, metadata } = await new StorageV1Api(
      connection.configuration(),
    ).listVolumeAttachment({ limit: pageSize, ...continued(next) });
    return { items: items.map(attachmentOf), ...place(metadata) };
  },
  read: (object) => attachmentOf(model<V1VolumeAttachment>(object, "V1VolumeAttachment")),
  uid: ({ name }) => name,
};

const continued = (next: string) => (next === "" ? {} : { _continue: next });

const place = (metadata: { resourceVersion?: string; _continue?: string } | undefined) => ({
  resourceVersion: metadata?.resourceVersion ?? "",
  next: metadata?._continue ?? "",
});

// client-node reads the objects of a list itself; those of a watch come as they were sent.
function model<T>(object: unknown, type: string): T {
  return ObjectSerializer.deserialize(object, type, "");
}
