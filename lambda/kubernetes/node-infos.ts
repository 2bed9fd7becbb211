import type { V1Node, V1Pod } from "@kubernetes/client-node";
import type { InstanceId } from "../base/ids.ts";
import type { MachineNode, Node } from "../drain/node.ts";
import type { Host, NodeInfo } from "../drain/node-info.ts";
import { isTerminal } from "../drain/pod-class.ts";
import type { ReschedulablePod } from "../drain/reschedulable-pod.ts";
import { plus, type Resources } from "../drain/resources.ts";
import type { AsSent } from "./as-sent.ts";
import { pagesOf } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import type { KubeClient, KubeConnection } from "./kube-connection.ts";
import { machineNodeOf } from "./node-of.ts";
import { reschedulablePodOf, resourcesOf } from "./reschedulable-pod-of.ts";

const listed = { start: "listed", uid: () => "" } as const;

/** All nodes, with what their pods may ask for together. */
export const hostsAs = <N extends Node>(nodeOf: (sent: AsSent<V1Node>) => N) =>
  collectionOf({
    ...listed,
    title: "nodes",
    path: "/api/v1/nodes",
    query: {},
    itemOf: (sent: AsSent<V1Node>): Host<N> => ({
      node: nodeOf(sent),
      allocatable: resourcesOf(sent.status?.allocatable ?? {}),
    }),
  });

const boundPods = collectionOf({
  ...listed,
  title: "pods on nodes",
  path: "/api/v1/pods",
  query: { fieldSelector: "spec.nodeName!=" },
  itemOf: (sent: AsSent<V1Pod>) => reschedulablePodOf(sent),
});

/** Reads what is asked of each node of the cluster, page by page, and keeps the pods of these instances alone. */
export const nodeInfosOf = (
  client: KubeClient,
  instances: readonly InstanceId[],
): Promise<readonly NodeInfo<MachineNode>[]> =>
  client.ask("listing nodes and their pods", (connection) => nodeInfosIn(connection, instances));

async function nodeInfosIn(
  connection: KubeConnection,
  instances: readonly InstanceId[],
): Promise<readonly NodeInfo<MachineNode>[]> {
  const nodes: Host<MachineNode>[] = [];
  for await (const { items } of pagesOf(hostsAs(machineNodeOf), connection)) nodes.push(...items);
  const wanted = new Set(instances);
  const own = nodes.filter(({ node }) => wanted.has(node.instance));
  const kept = new Map<string, ReschedulablePod[]>(own.map(({ node }) => [node.name, []]));
  const asked = new Map<string, Resources>();
  for await (const { items } of pagesOf(boundPods, connection))
    for (const reschedulablePod of items.filter(({ pod }) => !isTerminal(pod))) {
      const { node } = reschedulablePod.pod;
      asked.set(node, plus(asked.get(node) ?? {}, reschedulablePod.requests));
      kept.get(node)?.push(reschedulablePod);
    }
  return nodes.map((host) => ({
    ...host,
    asked: asked.get(host.node.name) ?? {},
    pods: kept.get(host.node.name) ?? [],
  }));
}
