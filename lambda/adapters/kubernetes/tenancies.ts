import type { V1Node, V1Pod } from "@kubernetes/client-node";
import { isTerminal } from "../../domain/drain/pod-class.ts";
import type { InstanceId } from "../../domain/ids.ts";
import { plus, type Resources } from "../../domain/placement/resources.ts";
import type { Seeker } from "../../domain/placement/seeker.ts";
import type { Tenancy } from "../../domain/placement/tenancy.ts";
import type { FleetNode } from "../../domain/upgrade/fleet-node.ts";
import type { KubeClient } from "./connection/kube-client.ts";
import type { KubeConnection } from "./connection/kube-connection.ts";
import type { AsSent } from "./objects/as-sent.ts";
import { fleetNodeOf } from "./objects/fleet-node-of.ts";
import { resourcesOf } from "./objects/requests.ts";
import { seekerOf } from "./objects/seeker-of.ts";
import { pagesOf } from "./watch/collection.ts";
import { collectionOf } from "./watch/collections.ts";

const listed = { start: "listed", uid: () => "" } as const;

const hosts = collectionOf({
  ...listed,
  title: "nodes",
  path: "/api/v1/nodes",
  query: {},
  itemOf: (sent: AsSent<V1Node>) => ({
    node: fleetNodeOf(sent),
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
): Promise<readonly Tenancy<FleetNode>[]> =>
  client.ask("listing nodes and their pods", (connection) => tenanciesIn(connection, instances));

async function tenanciesIn(
  connection: KubeConnection,
  instances: readonly InstanceId[],
): Promise<readonly Tenancy<FleetNode>[]> {
  const nodes: Omit<Tenancy<FleetNode>, "asked" | "pods">[] = [];
  for await (const { items } of pagesOf(hosts, connection)) nodes.push(...items);
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
