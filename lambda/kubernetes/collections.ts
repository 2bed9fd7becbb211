import type { V1PodDisruptionBudget, V1VolumeAttachment } from "@kubernetes/client-node";
import { type NodeName, nodeName } from "../base/ids.ts";
import type { Attachment } from "../drain/attachment.ts";
import { type Budget, budgetTitle } from "../drain/budget.ts";
import type { Node } from "../drain/node.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { budgetOf } from "./budget-of.ts";
import type { Collection } from "./collection.ts";
import { fittingPage, mostOfPage } from "./fitting-page.ts";
import { nodeOf } from "./node-of.ts";
import { type AnswerForm, readJson } from "./send-request.ts";
import { notIn, ofNamespace, weighed } from "./weighed.ts";

const pageSize = 500;

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
export const mostBudgets = 2_000_000;
// A watch reads some megabytes of each of them before it leaves it out.
const mostLeftOut = 5;

// Each pod of a node is compared with each requirement of a budget: so a requirement counts as this many bytes.
const requirementSize = 400;
// A drain asks each budget about each pod of its namespace: more than a thousand take the time of all other drains.
const mostInNamespace = 1000;

const readBudgets = {
  query: {},
  start: "streamed",
  itemOf: weighed(
    budgetOf,
    ({ selector }) =>
      selector.kind === "labels" ? selector.requirements.length * requirementSize : 0,
    mostBudgets / mostInNamespace,
  ),
  uid: budgetTitle,
} as const;

/** All PodDisruptionBudgets of the cluster, without those of so many namespaces at the most that have too many. */
export const allBudgetsBut = (most: number): Collection<Budget> =>
  collectionOf<V1PodDisruptionBudget, Budget>({
    title: "disruption budgets",
    path: "/apis/policy/v1/poddisruptionbudgets",
    ...readBudgets,
    portion: {
      ...ofNamespace,
      most: mostBudgets,
      without: (namespaces) => (namespaces.length > most ? "nothing" : notIn(namespaces)),
    },
  });

export const allBudgets = allBudgetsBut(mostLeftOut);

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
  bytes = mostOfPage,
  ...same
}: Pick<Collection<T>, "title" | "path" | "start" | "uid" | "portion"> & {
  readonly query: Query;
  /** The form in which its pages are asked for. @default JSON, in full */
  readonly form?: AnswerForm;
  /** The largest size of a page in bytes, or what pages that are read at once leave each other. @default 16 MB */
  readonly bytes?: number | "shared";
  itemOf(object: AsSent<M>): T;
}): Collection<T> {
  const { title, path, query } = same;
  return {
    ...same,
    async page(connection, next, size = pageSize, more = {}) {
      const asked = { ...query, ...more, continue: next === "" ? undefined : next };
      const read = (limit: number, fits: number) => {
        // One object may have more than others together.
        const most = limit === 1 ? mostOfPage : fits;
        return readJson<PageSent<M>>(connection, path, {
          query: { ...asked, limit },
          most,
          ...form,
        });
      };
      const { sent, fitting } = await (bytes === "shared"
        ? connection.pages.share((most) => fittingPage(size, read, most))
        : fittingPage(size, read, bytes));
      const { resourceVersion = "", continue: rest = "" } = sent.metadata ?? {};
      const following = { next: rest, size: Math.min(pageSize, 2 * fitting) };
      return { items: itemsIn(title, sent).map(itemOf), resourceVersion, ...following };
    },
    read: (object) => itemOf(Object(object)),
  };
}
