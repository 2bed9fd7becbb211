import { beforeEach, describe, expect, it } from "vitest";
import { ClusterReader } from "../../cli/plan/cluster-reader.ts";
import { nodeName } from "../../lambda/base/ids.ts";
import { readWithin } from "../../lambda/kubernetes/listed-within.ts";
import { nodeInfosOf } from "../../lambda/kubernetes/node-infos.ts";
import { podsOf } from "../../lambda/kubernetes/pod-lists.ts";
import { sizeOf } from "../../lambda/kubernetes/weighed.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { QuickClock } from "../support/quick-clock.ts";
import {
  bulk,
  daemons,
  instanceOf,
  megabyte,
  node,
  reading,
  type ServedPod,
} from "./tenant-server.ts";

describe("where a namespace has a hundred pods of a megabyte each", () => {
  const waiting = { node: "", status: { phase: "Pending" } };
  const one = reading(...bulk(100), ...bulk(100, waiting));
  beforeEach(() => {
    one.read.bytes = 0;
    one.nodes.unreadNamespaces();
  });

  it("the pods of a node are those of the others, and it is named", async () => {
    const { pods, leftOut } = await one.cluster.pods(node);
    expect(pods.map(({ namespace }) => namespace)).toEqual(["shop", "shop", "system"]);
    expect(leftOut).toEqual(["tenant"]);
    expect(one.read.bytes).toBeLessThan(75 * megabyte);
  });

  it("what is asked of nodes is what the others ask for, and it is named", async () => {
    const { nodeInfos, leftOut } = await nodeInfosOf(one.client, [instanceOf(node)]);
    expect(nodeInfos[0]).toMatchObject({ requested: { cpu: 2000, pods: 3 } });
    expect(nodeInfos[0]?.pods).toHaveLength(3);
    expect(leftOut).toEqual(["tenant"]);
    expect(one.read.bytes).toBeLessThan(75 * megabyte);
  });

  it.each([
    ["the pods that leave a node", "podCounts", new Map([[node, 2]])],
    [
      "the pods of DaemonSets on a node",
      "daemonPods",
      [{ namespace: "system", name: "pod-2", readiness: "ready" }],
    ],
    ["the pods that wait for a node", "pendingPods", new Map([["shop", 1]])],
    ["the addresses of pods", "podAddresses", ["10.0.0.1", "10.0.0.2", ""]],
  ] as const)("%s are those of the others, and it is named once", async (_, what, found) => {
    const { nodes, read } = one;
    const answer = {
      podCounts: () => nodes.podCounts([node]),
      daemonPods: () => nodes.daemonPods(node),
      pendingPods: () => nodes.pendingPods(),
      podAddresses: () => nodes.podAddresses([node]),
    }[what]();
    expect(await answer).toEqual(found);
    expect(nodes.unreadNamespaces()).toEqual(["tenant"]);
    expect(nodes.unreadNamespaces()).toEqual([]);
    expect(read.bytes).toBeLessThan(150 * megabyte);
  });
});

it("two readers of a process that read meanwhile each learn what they have not read, and nothing of the other", async () => {
  const crowd = (namespace: string, more: Partial<ServedPod>) => bulk(100, { namespace, ...more });
  const { nodes, read } = reading(
    ...crowd("tenant", { node: "", status: { phase: "Pending" } }),
    ...crowd("guest", { node: nodeName("node-2") }),
  );
  const [one, other, third] = [nodes.reader(), nodes.reader(), nodes.reader()];
  await Promise.all([
    one.daemonPods(node),
    other.daemonPods(node),
    third.podCounts([nodeName("node-2")]),
  ]);
  const unread = [one, other, third, nodes].map((reader) => reader.unreadNamespaces());
  expect(unread).toEqual([["tenant"], ["tenant"], ["guest"], []]);
  // The pods that wait are one list for both.
  expect(read.bytes).toBeLessThan(200 * megabyte);
});

it("where sixty namespaces have too many pods, all are named, and the pods of the others are read", async () => {
  const metadata = { annotations: { "example.com/padding": "x".repeat(6000) } };
  const tenants = Array.from({ length: 60 }, (_, at) => `tenant-${at}`);
  const { client, read } = reading(
    ...tenants.flatMap((namespace) => bulk(2, { namespace, metadata })),
  );
  const pods = podsOf(node);
  const portion = pods.portion && { ...pods.portion, most: 10_000 };
  const { items, leftOut } = await readWithin(client, { ...pods, ...(portion && { portion }) });
  expect(items.map(({ namespace }) => namespace)).toEqual(["shop", "shop", "system"]);
  expect(new Set(leftOut)).toEqual(new Set(tenants));
  expect(read.requests).toBe(2);
});

it("a namespace with thousands of usual pods in the cluster is read as a whole", async () => {
  const many = bulk(4000, { node: "node-2", metadata: { labels: { app: "x".repeat(9000) } } });
  const { client } = reading(...many);
  const { nodeInfos, leftOut } = await nodeInfosOf(client, []);
  expect(leftOut).toEqual([]);
  expect(nodeInfos[1]).toMatchObject({ requested: { pods: 4000 } });
});

it("usual pods cost a request for each list", async () => {
  const { nodes, cluster, client, read } = reading();
  await cluster.pods(node);
  await nodes.podCounts([node]);
  await nodes.pendingPods();
  await nodes.podAddresses([node]);
  expect(read.requests).toBe(4);
  await nodes.daemonPods(node);
  await nodeInfosOf(client, []);
  expect(read.requests).toBe(8);
});

it("the running pods of many namespaces are counted in few lists at once", async () => {
  const { nodes, read } = reading();
  const namespaces = Array.from({ length: 20 }, (_, at) => `tenant-${at}`);
  await Promise.all(namespaces.map((one) => nodes.runningPods(one)));
  expect(read.requests).toBe(20);
  expect(read.mostAtOnce).toBeLessThanOrEqual(5);
});

it("the pods of DaemonSets are looked for on many new nodes in few lists at once, and among those that wait in one for all", async () => {
  const { nodes, read } = reading(...bulk(4, { node: "", status: { phase: "Pending" } }));
  const many = Array.from({ length: 20 }, (_, at) => nodeName(`new-${at}`));
  await Promise.all(many.map((one) => nodes.daemonPods(one)));
  expect(read.bytes).toBeLessThan(5 * megabyte);
  expect(read.mostAtOnce).toBeLessThanOrEqual(6);
});

it("a pod of some hundred kilobytes keeps little of them, so that many of these fit into memory", async () => {
  const words = Array.from({ length: 5000 }, (_, at) => `w${at}`);
  const [one] = bulk(1, {
    metadata: {
      labels: Object.fromEntries(words.map((word) => [word, ""])),
      ownerReferences: [{ ...daemons[0], name: "x".repeat(50_000) }],
    },
    spec: {
      nodeSelector: Object.fromEntries(words.map((word) => [word, word])),
      containers: [
        { resources: { requests: Object.fromEntries(words.map((word) => [word, "1"])) } },
      ],
    },
  });
  const { client } = reading(...(one === undefined ? [] : [one]));
  const { nodeInfos } = await nodeInfosOf(client, [instanceOf(node)]);
  const [kept] = nodeInfos[0]?.pods.filter(({ pod }) => pod.namespace === "tenant") ?? [];
  expect(JSON.stringify(kept).length).toBeLessThan(5000);
  expect(kept?.requests).toEqual({ pods: 1 });
});

it("pods of a group that are no larger than usual fill no memory: of a namespace whose pods keep far more than others they are left out", async () => {
  const tolerations = Array.from({ length: 60 }, (_, at) => ({
    key: `${at}${"x".repeat(250)}`,
    operator: "Exists",
  }));
  const terms = Array.from({ length: 120 }, (_, at) => ({
    key: `${at}${"x".repeat(60)}`,
    operator: "Exists",
  }));
  const required = { nodeSelectorTerms: [{ matchExpressions: terms }] };
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required },
  };
  const many = bulk(600, { metadata: {}, spec: { tolerations, affinity } });
  expect(JSON.stringify(many[0]).length).toBeLessThan(65_536);
  const { client } = reading(...many);

  const { nodeInfos, leftOut } = await nodeInfosOf(client, [instanceOf(node)]);

  expect(leftOut).toEqual(["tenant"]);
  expect(nodeInfos[0]?.pods).toHaveLength(3);
  const plan = new ClusterReader({ client, clock: new ServerClock(new QuickClock()) });
  const { items, leftOut: notPlanned } = await plan.pods("all");
  expect(notPlanned).toEqual(["tenant"]);
  expect(items).toHaveLength(3);
});

it("a pod counts as what it takes of memory: each toleration does, however short", () => {
  const { read } = podsOf(node);
  const counted = (tolerations: number): number => {
    const spec = { tolerations: new Array(tolerations).fill({ key: "a" }) };
    return sizeOf(read({ metadata: { namespace: "tenant", name: "one", uid: "1" }, spec }));
  };
  expect(counted(0)).toBeGreaterThan(500);
  expect(counted(60) - counted(0)).toBeGreaterThan(60 * 100);
});
