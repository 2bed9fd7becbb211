import type { V1Node } from "@kubernetes/client-node";
import { type InstanceId, podUid } from "../base/ids.ts";
import type { MachineNode, Node } from "../drain/node.ts";
import { type Host, type NodeInfo, sumOf } from "../drain/node-info.ts";
import type { AsSent } from "./as-sent.ts";
import { listed } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import type { KubeClient } from "./kube-connection.ts";
import { readWithin } from "./listed-within.ts";
import { machineNodeOf } from "./node-of.ts";
import { keptBeyondUsual, podsAs, unended } from "./pod-lists.ts";
import { requestsOf, reschedulablePodOf, resourcesOf } from "./reschedulable-pod-of.ts";
import { fewRequests, trimmedReschedulable } from "./trimmed.ts";

// A node has some tens of them. With those of one that has tens of thousands, to add up what is free takes minutes.
const mostOfNode = 128;

/** All nodes, with what their pods may ask for together. */
export const hostsAs = <N extends Node>(nodeOf: (sent: AsSent<V1Node>) => N) =>
  collectionOf({
    start: "listed",
    uid: () => "",
    title: "nodes",
    path: "/api/v1/nodes",
    query: {},
    itemOf: (sent: AsSent<V1Node>): Host<N> => ({
      node: nodeOf(sent),
      allocatable: fewRequests(resourcesOf(sent.status?.allocatable ?? {}), mostOfNode),
    }),
  });

/** The requests on each node of the cluster. */
interface AskedOfNodes {
  readonly nodeInfos: readonly NodeInfo<MachineNode>[];
  /** The namespaces that have too many pods, or too large ones: theirs count as asking for nothing. */
  readonly leftOut: readonly string[];
}

/** Reads what is requested of each node of the cluster, page by page, and keeps the pods of these instances alone. */
export async function nodeInfosOf(
  client: KubeClient,
  instances: readonly InstanceId[],
): Promise<AskedOfNodes> {
  const nodes = await listed(client, hostsAs(machineNodeOf));
  const wanted = new Set(instances);
  const own = nodes.filter(({ node }) => wanted.has(node.instance));
  const names = new Set<string>(own.map(({ node }) => node.name));
  const { items: pods, leftOut } = await readWithin(client, boundPods(names));
  const onNode = Map.groupBy(pods, ({ node }) => node);
  const nodeInfos = nodes.map((host) => {
    const its = onNode.get(host.node.name) ?? [];
    return { ...host, requested: sumOf(its), pods: its.flatMap(({ own: one }) => one) };
  });
  return { nodeInfos, leftOut };
}

/** The pods on nodes that have not ended, and in full those of the nodes with these names. */
const boundPods = (names: ReadonlySet<string>) =>
  podsAs(
    { title: "pods on nodes", where: unended("spec.nodeName!="), counted: "what is unusual" },
    (sent) => {
      const { metadata: { namespace = "", uid = "" } = {}, spec } = sent;
      const { nodeName: node = "" } = spec ?? {};
      const requests = fewRequests(requestsOf(spec ?? { containers: [] }));
      const own = names.has(node) ? [trimmedReschedulable(reschedulablePodOf(sent))] : [];
      return { namespace, uid: podUid(uid), node, requests, own };
    },
    keptBeyondUsual,
  );
