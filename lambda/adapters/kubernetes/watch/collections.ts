import {
  CoreV1Api,
  type KubernetesListObject,
  type KubernetesObject,
  PolicyV1Api,
  StorageV1Api,
} from "@kubernetes/client-node";
import { ObjectSerializer } from "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js";
import type { NodeName } from "../../../domain/ids.ts";
import type { Attachment } from "../../../domain/node/attachment.ts";
import type { Node } from "../../../domain/node/node.ts";
import { type Budget, budgetTitle } from "../../../domain/pod/budget.ts";
import type { Pod } from "../../../domain/pod/pod.ts";
import type { KubeConnection } from "../connection/kube-connection.ts";
import { attachmentOf } from "../objects/attachment-of.ts";
import { budgetOf } from "../objects/budget-of.ts";
import { nodeOf } from "../objects/node-of.ts";
import { podOf } from "../objects/pod-of.ts";
import type { Collection } from "./collection.ts";

const pageSize = 500;

/** The pods that are bound to a node. */
export const podsOf = (node: NodeName): Collection<Pod> =>
  collectionOf({
    title: `pods of node ${node}`,
    path: "/api/v1/pods",
    query: { fieldSelector: `spec.nodeName=${node}` },
    start: "listed",
    list: (connection, page) =>
      new CoreV1Api(connection.configuration()).listPodForAllNamespaces(page),
    model: "V1Pod",
    itemOf: podOf,
    uid: ({ uid }) => uid,
  });

/** The nodes that a query finds; the title is for messages. */
const nodesIn = (title: string, query: Query): Collection<Node> =>
  collectionOf({
    title,
    path: "/api/v1/nodes",
    query,
    start: "streamed",
    list: (connection, page) => new CoreV1Api(connection.configuration()).listNode(page),
    model: "V1Node",
    itemOf: nodeOf,
    uid: ({ uid }) => uid,
  });

/** All nodes of the cluster. */
export const allNodes = nodesIn("nodes", {});

/** The nodes that are cordoned. */
export const cordonedNodes = nodesIn("cordoned nodes", {
  fieldSelector: "spec.unschedulable=true",
});

/** The node with a name, as long as it exists. */
export const nodesNamed = (name: NodeName): Collection<Node> =>
  nodesIn(`node ${name}`, { fieldSelector: `metadata.name=${name}` });

/** The PodDisruptionBudgets of a namespace. */
export const budgetsIn = (namespace: string): Collection<Budget> =>
  collectionOf({
    title: `disruption budgets of namespace ${namespace}`,
    path: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    query: {},
    start: "streamed",
    list: (connection, page) =>
      new PolicyV1Api(connection.configuration()).listNamespacedPodDisruptionBudget({
        namespace,
        ...page,
      }),
    model: "V1PodDisruptionBudget",
    itemOf: budgetOf,
    uid: budgetTitle,
  });

/** All PodDisruptionBudgets of the cluster. */
export const allBudgets: Collection<Budget> = collectionOf({
  title: "disruption budgets",
  path: "/apis/policy/v1/poddisruptionbudgets",
  query: {},
  start: "streamed",
  list: (connection, page) =>
    new PolicyV1Api(connection.configuration()).listPodDisruptionBudgetForAllNamespaces(page),
  model: "V1PodDisruptionBudget",
  itemOf: budgetOf,
  uid: budgetTitle,
});

/** The VolumeAttachments that a query finds; the title is for messages. */
const attachmentsIn = (title: string, query: Query): Collection<Attachment> =>
  collectionOf({
    title,
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    query,
    start: "streamed",
    list: (connection, page) =>
      new StorageV1Api(connection.configuration()).listVolumeAttachment(page),
    model: "V1VolumeAttachment",
    itemOf: attachmentOf,
    uid: ({ name }) => name,
  });

/** All VolumeAttachments of the cluster. */
export const allAttachments = attachmentsIn("volume attachments", {});

/** The VolumeAttachment with a name, as long as it exists. */
export const attachmentsNamed = (name: string): Collection<Attachment> =>
  attachmentsIn(`volume attachment ${name}`, { fieldSelector: `metadata.name=${name}` });

type Query = { readonly fieldSelector?: string };
type PageQuery = Query & { readonly limit: number; readonly _continue?: string };

/** A collection as client-node knows it. */
interface ClientCollection<M extends KubernetesObject, T>
  extends Pick<Collection<T>, "title" | "path" | "start" | "uid"> {
  readonly query: Query;
  list(connection: KubeConnection, page: PageQuery): Promise<KubernetesListObject<M>>;
  /** The name of an object's type in client-node. */
  readonly model: string;
  itemOf(object: M): T;
}

function collectionOf<M extends KubernetesObject, T>({
  list,
  model,
  itemOf,
  ...same
}: ClientCollection<M, T>): Collection<T> {
  return {
    ...same,
    async page(connection, next) {
      const continued = next === "" ? {} : { _continue: next };
      const query = { ...same.query, limit: pageSize, ...continued };
      const { items, metadata = {} } = await list(connection, query);
      const { resourceVersion = "", _continue = "" } = metadata;
      return { items: items.map(itemOf), resourceVersion, next: _continue };
    },
    // client-node deserialises the objects of a list itself, but not those of a watch.
    read: (object) => itemOf(ObjectSerializer.deserialize(object, model, "")),
  };
}
