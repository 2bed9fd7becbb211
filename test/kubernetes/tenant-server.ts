import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { type KubeClient, KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { noon } from "../support/builders.ts";
import { virtualClock } from "../world/virtual-clock.ts";

/** A pod of a namespace, and what it has besides. */
export interface ServedPod {
  readonly namespace: string;
  readonly node?: string;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

const nodes = ["node-1", "node-2"];

/** The instance of a node of this server. */
export const instanceOf = (node: string) =>
  instanceId(`i-${String(nodes.indexOf(node) + 1).padStart(17, "0")}`);

export const node = nodeName("node-1");
export const megabyte = 1_000_000;
export const daemons = [
  { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "1", controller: true },
];
const usual: readonly ServedPod[] = [
  { namespace: "shop", node, status: { phase: "Running", podIP: "10.0.0.1" } },
  {
    namespace: "shop",
    node,
    spec: { containers: [{ resources: { requests: { cpu: "2" } } }] },
    status: { phase: "Running", podIP: "10.0.0.2" },
  },
  {
    namespace: "system",
    node,
    metadata: { ownerReferences: daemons },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  },
  { namespace: "shop", status: { phase: "Pending" } },
];

/** Pods of a megabyte each, whose bulk no part of the API server's answer leaves out. */
export const bulk = (count: number, more: Partial<ServedPod> = {}): readonly ServedPod[] =>
  Array.from({ length: count }, () => ({
    namespace: "tenant",
    node,
    metadata: { annotations: { "example.com/padding": "x".repeat(megabyte) } },
    ...more,
  }));

/** The readers of a cluster that has usual pods of two namespaces, and these. */
export function reading(...pods: readonly ServedPod[]) {
  const { client, read } = servingPods([...usual, ...pods]);
  const clock = virtualClock(new VirtualTimeline(noon));
  const cluster = new KubeCluster(client, clock);
  return {
    cluster,
    client,
    read,
    nodes: new KubeGroupNodes(client, { namesOf: async () => new Map() }),
  };
}

/** A server with these pods on two nodes, sorted as an API server sorts them, and how much was read of it. */
export function servingPods(given: readonly ServedPod[]) {
  const pods = given
    .map(({ namespace, node, metadata, spec, status = { phase: "Running" } }, at) => ({
      metadata: { namespace, name: `pod-${at}`, uid: `uid-${at}`, ...metadata },
      spec: { ...(node !== undefined && { nodeName: node }), containers: [], ...spec },
      status,
    }))
    .toSorted((a, b) => a.metadata.namespace.localeCompare(b.metadata.namespace));
  const read = { bytes: 0, requests: 0, atOnce: 0, mostAtOnce: 0, held: 0, mostHeld: 0 };
  const endpoint = new URL("https://127.0.0.1:9");
  const address = { endpoint, certificateAuthority: undefined, userAgent: "test" };
  const connection = new KubeConnection(address, async () => "a token", {
    async request({ path, headers }) {
      const url = new URL(path, endpoint);
      read.requests += 1;
      const isPods = url.pathname.endsWith("/pods");
      const own = url.pathname.split("/namespaces/")[1]?.split("/")[0];
      const selected = pods
        .filter(({ metadata }) => own === undefined || metadata.namespace === own)
        .filter((pod) => isSelected(pod, url.searchParams.get("fieldSelector") ?? ""));
      const found = isPods ? selected : nodes.map(nodeObject);
      const isBare = `${headers["accept"]}`.includes("PartialObjectMetadata");
      const body = pageOf(isBare ? found.map(({ metadata }) => ({ metadata })) : found, url);
      return { status: 200, headers: {}, body: counted(body, read) };
    },
    open: () => Promise.reject(new Error("there is no socket to open")),
    close: () => undefined,
  });
  const client: KubeClient = {
    ask: (_, call) => call(connection),
    once: (call) => call(connection),
  };
  return { client, read };
}

const nodeObject = (name: string) => ({
  metadata: { name, uid: name, resourceVersion: "1", labels: {} },
  spec: { providerID: `aws:///eu-west-1a/${instanceOf(name)}` },
  status: { allocatable: { cpu: "8", pods: "110" } },
});

type Sent = ReturnType<typeof nodeObject> | { readonly metadata: object };

interface Read {
  bytes: number;
  atOnce: number;
  mostAtOnce: number;
  /** The bytes of the answers that are under way. */
  held: number;
  mostHeld: number;
}

async function* counted(body: Iterable<string>, read: Read) {
  read.atOnce += 1;
  read.mostAtOnce = Math.max(read.mostAtOnce, read.atOnce);
  let sent = 0;
  try {
    for (const part of body) {
      read.bytes += part.length;
      sent += part.length;
      read.held += part.length;
      read.mostHeld = Math.max(read.mostHeld, read.held);
      yield Buffer.from(part);
    }
  } finally {
    read.atOnce -= 1;
    read.held -= sent;
  }
}

function* pageOf(found: readonly Sent[], { searchParams }: URL): Generator<string> {
  const from = Number(searchParams.get("continue") ?? 0);
  const to = from + Number(searchParams.get("limit") ?? found.length);
  const rest = to < found.length ? `${to}` : "";
  yield `{"metadata":{"resourceVersion":"5","continue":"${rest}"},"items":[`;
  for (const [at, one] of found.slice(from, to).entries())
    yield (at > 0 ? "," : "") + JSON.stringify(one);
  yield "]}";
}

interface Selectable {
  readonly metadata: { readonly namespace: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: object;
}

function isSelected({ metadata, spec, status }: Selectable, selector: string): boolean {
  const values: Readonly<Record<string, string>> = {
    "metadata.namespace": metadata.namespace,
    "spec.nodeName": spec.nodeName ?? "",
    "status.phase": "phase" in status ? String(status.phase) : "",
  };
  return selector.split(",").every((term) => {
    const [, key = "", sign, wanted] = /^([^!=]+)(!?=)(.*)$/.exec(term) ?? [];
    return (values[key] === wanted) === (sign === "=");
  });
}
