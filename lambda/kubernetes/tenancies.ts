import type { V1Node, V1Pod } from "@kubernetes/client-node";
import type { InstanceId } from "../base/ids.ts";
import type { MachineNode, Node } from "../drain/node.ts";
import { isTerminal } from "../drain/pod-class.ts";
import { plus, type Resources } from "../drain/resources.ts";
import type { Seeker } from "../drain/seeker.ts";
import type { Host, Tenancy } from "../drain/tenancy.ts";
import type { AsSent } from "./as-sent.ts";
import { pagesOf } from "./collection.ts";
import { collectionOf } from "./collections.ts";
import type { KubeClient } from "./kube-client.ts";
import type { KubeConnection } from "./kube-connection.ts";
import { machineNodeOf } from "./node-of.ts";
import { resourcesOf } from "./requests.ts";
import { seekerOf } from "./seeker-of.ts";

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
  itemOf: (sent: AsSent<V1Pod>) => seekerOf(sent),
});

/** Reads what is asked of each node of the cluster, page by page, and keeps the pods of these instances alone. */
export const tenanciesOf = (
  client: KubeClient,
  instances: readonly InstanceId[],
): Promise<readonly Tenancy<MachineNode>[]> =>
  client.ask("listing nodes and their pods", (connection) => tenanciesIn(connection, instances));

async function tenanciesIn(
  connection: KubeConnection,
  instances: readonly InstanceId[],
): Promise<readonly Tenancy<MachineNode>[]> {
  const nodes: Host<MachineNode>[] = [];
  for await (const { items } of pagesOf(hostsAs(machineNodeOf), connection)) nodes.push(...items);
  const wanted = new Set(instances);
  const own = nodes.filter(({ node }) => wanted.has(node.instance));
  const kept = new Map<string, Seeker[]>(own.map(({ node }) => [node.name, []]));
  const asked = new Map<string, Resources>();
  for await (const { items } of pagesOf(boundPods, connection))
    for (const seeker of items.filter(({ pod }) => !isTerminal(pod))) {
      const { node } = seeker.pod;
      asked.set(node, plus(asked.get(node) ?? {}, seeker.requests));
      kept.get(node)?.push(seeker);
    }
  return nodes.map((host) => ({
    ...host,
    asked: asked.get(host.node.name) ?? {},
    pods: kept.get(host.node.name) ?? [],
  }));
}
