import type { V1Pod, V1PodDisruptionBudget, V1VolumeAttachment } from "@kubernetes/client-node";
import { type NodeName, nodeName } from "../base/ids.ts";
import type { Attachment } from "../drain/attachment.ts";
import { type Budget, budgetTitle } from "../drain/budget.ts";
import type { Node } from "../drain/node.ts";
import type { Pod } from "../drain/pod.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { budgetOf } from "./budget-of.ts";
import type { Collection } from "./collection.ts";
import { fittingPage } from "./fitting-page.ts";
import { nodeOf } from "./node-of.ts";
import { podOf } from "./pod-of.ts";
import { type AnswerForm, readJson } from "./send-request.ts";

const pageSize = 500;

export const podsOf = (node: NodeName): Collection<Pod> => podsAs(podOf, ({ uid }) => uid)(node);

/** The same, read in another way. */
export const podsAs =
  <T>(itemOf: (sent: AsSent<V1Pod>) => T, uid: (item: T) => string) =>
  (node: NodeName): Collection<T> =>
    collectionOf({
      title: `pods of node ${node}`,
      path: "/api/v1/pods",
      query: { fieldSelector: `spec.nodeName=${node}` },
      // The API server has an index for this list, but would stream it from all pods of the cluster.
      start: "listed",
      itemOf,
      uid,
    });

const sizes = new WeakMap<object, number>();

/** How many bytes an object has as JSON. Each requirement of a budget counts as more, for it is asked of each pod. */
export const sizeOf = (item: object): number => sizes.get(item) ?? 0;

/** Reads objects, and notes how large they are. */
const weighed =
  <M, T extends object>(itemOf: (sent: AsSent<M>) => T, extra: (item: T) => number = () => 0) =>
  (sent: AsSent<M>): T => {
    const item = itemOf(sent);
    sizes.set(item, JSON.stringify(sent).length + extra(item));
    return item;
  };

const ofNamespace = {
  of: ({ namespace }: { readonly namespace: string }) => namespace,
  size: sizeOf,
};

const notIn = (namespaces: readonly string[]): string =>
  namespaces.map((namespace) => `metadata.namespace!=${namespace}`).join(",");

// A pod has some 10 kB.
const mostPods = 8_000_000;
const mostLargeNamespaces = 50;

/** The pods of a node as a drain follows them: without those of namespaces that have too many there, or too large ones. */
export const followedPods = (node: NodeName): Collection<Pod> => ({
  ...podsAs(weighed(podOf), ({ uid }) => uid)(node),
  portion: {
    ...ofNamespace,
    most: mostPods,
    without: (namespaces) =>
      namespaces.length > mostLargeNamespaces
        ? "nothing"
        : `spec.nodeName=${node},${notIn(namespaces)}`,
  },
});

/** The pods of a namespace on a node that have not ended by themselves. */
export const podsIn = (namespace: string, node: NodeName): Collection<Pod> =>
  collectionOf({
    title: `pods of namespace ${namespace} on node ${node}`,
    path: `/api/v1/namespaces/${namespace}/pods`,
    query: {
      fieldSelector: `spec.nodeName=${node},status.phase!=Succeeded,status.phase!=Failed`,
    },
    start: "listed",
    itemOf: weighed(podOf),
    uid: ({ uid }) => uid,
  });

/** The nodes that a query finds; the title is for messages. */
const nodesIn = (title: string, query: Query): Collection<Node> =>
  collectionOf({
    title,
    path: "/api/v1/nodes",
    query,
    start: "streamed",
    itemOf: nodeOf,
    uid: ({ uid }) => uid,
  });

/** All nodes of the cluster. */
export const allNodes = nodesIn("nodes", {});

export const cordonedNodes = nodesIn("cordoned nodes", {
  fieldSelector: "spec.unschedulable=true",
});

/** The node with a name, as long as it exists. */
export const nodesNamed = (name: NodeName): Collection<Node> =>
  nodesIn(`node ${name}`, { fieldSelector: `metadata.name=${name}` });

/** The PodDisruptionBudgets of a namespace. */
export const budgetsIn = (namespace: string): Collection<Budget> =>
  collectionOf<V1PodDisruptionBudget, Budget>({
    title: `disruption budgets of namespace ${namespace}`,
    path: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    ...readBudgets,
    portion: { ...ofNamespace, most: mostBudgets, without: () => "nothing" },
  });

// A budget has some 1,500 bytes, its words may take six times as much memory, and a process follows 20 namespaces by themselves.
const mostBudgets = 2_000_000;
// Each is found out by some megabytes of it.
const mostLeftOut = 5;

// What a requirement costs that each pod of a node is asked for.
const requirementSize = 400;

const readBudgets = {
  query: {},
  start: "streamed",
  itemOf: weighed(budgetOf, ({ selector }) =>
    selector.kind === "labels" ? selector.requirements.length * requirementSize : 0,
  ),
  uid: budgetTitle,
} as const;

/** All PodDisruptionBudgets of the cluster. */
export const allBudgets: Collection<Budget> = collectionOf<V1PodDisruptionBudget, Budget>({
  title: "disruption budgets",
  path: "/apis/policy/v1/poddisruptionbudgets",
  ...readBudgets,
  portion: {
    ...ofNamespace,
    most: mostBudgets,
    without: (namespaces) => (namespaces.length > mostLeftOut ? "nothing" : notIn(namespaces)),
  },
});

/** Reads a VolumeAttachment of the Kubernetes API; only an attachment that is being deleted stays detached. */
const attachmentOf = ({ metadata = {}, spec, status }: AsSent<V1VolumeAttachment>): Attachment => ({
  name: metadata.name ?? "",
  node: nodeName(spec.nodeName),
  volume: spec.source.persistentVolumeName ?? "",
  state:
    status?.attached === false && metadata.deletionTimestamp !== undefined
      ? "detached"
      : "attached",
});

/** The VolumeAttachments that a query finds; the title is for messages. */
const attachmentsIn = (title: string, query: Query): Collection<Attachment> =>
  collectionOf({
    title,
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    query,
    start: "streamed",
    itemOf: attachmentOf,
    uid: ({ name }) => name,
  });

/** All VolumeAttachments of the cluster. */
export const allAttachments = attachmentsIn("volume attachments", {});

/** The VolumeAttachment with a name, as long as it exists. */
export const attachmentsNamed = (name: string): Collection<Attachment> =>
  attachmentsIn(`volume attachment ${name}`, { fieldSelector: `metadata.name=${name}` });

type Query = { readonly fieldSelector?: string; readonly labelSelector?: string };

/** A collection whose objects are read one by one. */
export function collectionOf<M, T>({
  itemOf,
  form = {},
  ...same
}: Pick<Collection<T>, "title" | "path" | "start" | "uid" | "portion"> & {
  readonly query: Query;
  /** The form in which its pages are asked for. @default JSON, in full */
  readonly form?: AnswerForm;
  itemOf(object: AsSent<M>): T;
}): Collection<T> {
  const { title, path, query } = same;
  return {
    ...same,
    async page(connection, next, size = pageSize, more = {}) {
      const asked = { ...query, ...more, continue: next === "" ? undefined : next };
      const { sent, fitting } = await fittingPage(size, (limit, most) =>
        readJson<PageSent<M>>(connection, path, { query: { ...asked, limit }, most, ...form }),
      );
      const { resourceVersion = "", continue: rest = "" } = sent.metadata ?? {};
      const following = { next: rest, size: Math.min(pageSize, 2 * fitting) };
      return { items: itemsIn(title, sent).map(itemOf), resourceVersion, ...following };
    },
    read: (object) => itemOf(Object(object)),
  };
}
