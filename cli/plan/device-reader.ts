import type { ResourceV1ResourceClaim, V1ResourceSlice } from "@kubernetes/client-node";
import { Fault } from "../../lambda/base/fault.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import type { AsSent } from "../../lambda/kubernetes/as-sent.ts";
import { type BoundedList, type ListTools, partOf } from "../../lambda/kubernetes/bounded-list.ts";
import { listAll } from "../../lambda/kubernetes/collection.ts";
import { collectionOf } from "../../lambda/kubernetes/collections.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { tryRefusal } from "../../lambda/kubernetes/kube-fault.ts";
import { demandOf } from "../../lambda/kubernetes/reschedulable-pod-of.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import {
  type DeviceNodes,
  type Devices,
  nodesByDriver,
  type ResourceClaim,
} from "./device-claims.ts";

// A cluster serves one of them; what is read of them is the same. The first is of Kubernetes 1.34.
const versions = ["v1", "v1beta2", "v1beta1"];

/** Reads the ResourceClaims of some namespaces, and which nodes have devices. */
export async function devicesIn(namespaces: readonly string[], tools: ListTools): Promise<Devices> {
  try {
    return await readDevices(namespaces, tools);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    return { kind: "unread", why: cause.message };
  }
}

async function readDevices(namespaces: readonly string[], tools: ListTools): Promise<Devices> {
  for (const version of versions) {
    const slices = await slicesAt(version, tools.client);
    if (slices === "absent") continue;
    const read = await sideBySide(namespaces, readsAtOnce, async (namespace) => {
      const { items, cut } = await partOf(claimsAt(version, namespace), tools);
      return { namespace, items, cut };
    });
    const cuts = read.flatMap(({ namespace, cut }) =>
      cut === "" ? [] : [[namespace, cut] as const],
    );
    return {
      kind: "read",
      claims: new Map(read.flatMap(({ items }) => items)),
      cut: new Map(cuts),
      nodes: nodesByDriver(slices),
    };
  }
  return { kind: "unread", why: "the API server has no ResourceSlices" };
}

/** The ResourceSlices; `absent` if the API server does not serve them in this version. */
const slicesAt = (
  version: string,
  client: KubeClient,
): Promise<readonly DeviceNodes[] | "absent"> =>
  client.ask("listing resource slices", (connection) =>
    listAll(slices(version), connection).then(
      ({ items }) => items,
      (cause: unknown) => {
        if (tryRefusal(cause)?.code === 404) return "absent" as const;
        throw cause;
      },
    ),
  );

const shape = { query: {}, start: "listed", uid: () => "" } as const;

const slices = (version: string) =>
  collectionOf({
    ...shape,
    title: "resource slices",
    path: `/apis/resource.k8s.io/${version}/resourceslices`,
    itemOf: sliceOf,
  });

function sliceOf({ spec }: AsSent<V1ResourceSlice>): DeviceNodes {
  const { driver, nodeName: node, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  if (perDeviceNodeSelection) return { driver, on: "unknown" };
  if (allNodes) return { driver, on: "every node" };
  if (nodeSelector !== undefined) return { driver, on: demandOf("", nodeSelector).anyOf };
  const fields = [{ key: "metadata.name", operator: "In", values: [node ?? ""] }];
  return { driver, on: [{ labels: [], fields }] };
}

const claimsAt = (
  version: string,
  namespace: string,
): BoundedList<ResourceV1ResourceClaim, readonly [string, ResourceClaim]> => ({
  path: `/apis/resource.k8s.io/${version}/namespaces/${namespace}/resourceclaims`,
  most: mostClaims,
  pageSize: 500,
  itemsOf: (sent) => [claimOf(sent)],
});

const mostClaims = 2000;

// More are allowed of neither. https://kubernetes.io/docs/reference/kubernetes-api/resource/resource-claim-v1/
const most = 256;

function claimOf({
  metadata,
  spec,
  status = {},
}: AsSent<ResourceV1ResourceClaim>): readonly [string, ResourceClaim] {
  const { namespace = "", name = "" } = metadata ?? {};
  const { allocation, reservedFor = [] } = status;
  const requests = spec.devices?.requests ?? [];
  const results = allocation?.devices?.results ?? [];
  const { nodeSelector } = allocation ?? {};
  const claim: ResourceClaim = {
    name,
    state: allocation === undefined ? "free" : "allocated",
    drivers: [...new Set(results.slice(0, most).map(({ driver }) => driver))],
    choice: requests.some(({ firstAvailable }) => firstAvailable !== undefined) ? "some" : "none",
    demands: nodeSelector === undefined ? [] : [demandOf(`resource claim ${name}`, nodeSelector)],
    consumers: reservedFor.slice(0, most).map(({ uid }) => uid),
  };
  return [`${namespace}/${name}`, claim];
}
