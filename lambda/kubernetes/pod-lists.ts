import type { V1Pod } from "@kubernetes/client-node";
import type { NodeName } from "../base/ids.ts";
import type { Pod } from "../drain/pod.ts";
import type { AsSent } from "./as-sent.ts";
import type { Collection } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import { mostOfPage } from "./fitting-page.ts";
import { podOf } from "./pod-of.ts";
import type { AnswerForm } from "./send-request.ts";
import { trimmed } from "./trimmed.ts";
import { notIn, ofNamespace, sizeOf, weighed } from "./weighed.ts";

// A pod has some 10 kB.
const mostBytes = 8_000_000;
// Few have more, with very long arguments or variables.
const largestUsual = 65_536;
// A selector must not become too long. The pods of further namespaces are read, and not kept.
const mostSelected = 50;

/** Which pods are wanted, and what counts of them for the portion of their namespace. */
export interface PodsWanted {
  readonly title: string;
  /** @default those of all namespaces */
  readonly path?: string;
  readonly where: string;
  /** A node has few pods; in a cluster a namespace may have any number, if they are no larger than usual. */
  readonly counted: "all of it" | "what is unusual";
  readonly form?: AnswerForm;
}

/** The fields of a pod that are kept. */
type Owned = Pick<Pod, "namespace" | "uid"> & Partial<Pick<Pod, "tolerations">>;

/** Pods, without those of namespaces that have too many of them, or too large ones. */
export const podsAs = <T extends Owned>(
  { title, path = "/api/v1/pods", where, counted, form = {} }: PodsWanted,
  itemOf: (sent: AsSent<V1Pod>) => T,
  unusuallyKept: (item: T) => number = () => 0,
): Collection<T> =>
  collectionOf<V1Pod, T>({
    title,
    path,
    query: { fieldSelector: where },
    form,
    bytes: counted === "all of it" ? "shared" : mostOfPage,
    // The API server has an index for the pods of a node, but would stream it from all pods of the cluster.
    start: "listed",
    itemOf: weighed<V1Pod, T>(itemOf, memoryOf),
    uid: ({ uid }) => uid,
    portion: {
      of: ofNamespace.of,
      size:
        counted === "all of it" ? sizeOf : (item) => Math.max(unusualOf(item), unusuallyKept(item)),
      most: mostBytes,
      without: (namespaces) => `${where},${notIn(namespaces.slice(0, mostSelected))}`,
    },
  });

// The memory of a pod, and of each of its tolerations, beyond its bytes.
const [podSize, tolerationSize] = [500, 100];
const memoryOf = ({ tolerations = [] }: Owned): number =>
  podSize + tolerationSize * tolerations.length;

const unusualOf = (item: object): number => Math.max(0, sizeOf(item) - largestUsual);

// Many pods are kept together. Most keep a tenth of this, and one of 64 kB may take 77 kB of memory.
const usuallyKept = 8192;

/** The bytes that are kept of a pod beyond the usual ones. */
export const keptBeyondUsual = (item: object): number =>
  Math.max(0, JSON.stringify(item).length - usuallyKept);

/** Selects the pods of a node. */
export const onNode = (node: NodeName): PodsWanted => ({
  title: `pods of node ${node}`,
  where: `spec.nodeName=${node}`,
  counted: "all of it",
});

/** Selects pods that have not ended by themselves. */
export const unended = (where: string): string =>
  `${where},status.phase!=Succeeded,status.phase!=Failed`;

/** A pod as it is kept, whatever others have put into it. */
export const boundedPodOf = (sent: AsSent<V1Pod>): Pod => trimmed(podOf(sent));

/** The pods of a node, without those of namespaces that have too many there, or too large ones. */
export const podsOf = (node: NodeName): Collection<Pod> => podsAs(onNode(node), boundedPodOf);

/** The pods of a namespace on a node that have not ended by themselves. */
export const podsIn = (namespace: string, node: NodeName): Collection<Pod> =>
  collectionOf({
    title: `pods of namespace ${namespace} on node ${node}`,
    path: `/api/v1/namespaces/${namespace}/pods`,
    query: { fieldSelector: unended(`spec.nodeName=${node}`) },
    start: "listed",
    bytes: "shared",
    itemOf: weighed(boundedPodOf, memoryOf),
    uid: ({ uid }) => uid,
  });
