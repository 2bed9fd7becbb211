import { CoreV1Api, type V1Pod } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { logQueries } from "../../lib/watching/log-queries.ts";
import { queryStringOf } from "../../lib/watching/saved-queries.ts";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
import { readQuery, rowOf } from "../docs/insights-query.ts";
import { type AuditEntry, mutatingVerbs } from "./audit-log.ts";
import { daemonSet, namespace, pod, replicaSet } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const group = "eks-demo-ng-02c1ba5d-75b6-fbdf-4569-aa31827ad412";
const token = "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604";
const leaving = {
  name: "ip-192-168-18-230.eu-west-1.compute.internal",
  instanceId: "i-07e9ea9eb19a67337",
  zone: "eu-west-1a",
};
const nodes = [
  leaving,
  {
    name: "ip-192-168-43-17.eu-west-1.compute.internal",
    instanceId: "i-0a4c1f92d6b83e570",
    zone: "eu-west-1b",
  },
  {
    name: "ip-192-168-77-142.eu-west-1.compute.internal",
    instanceId: "i-0f6d20b7c19e8a345",
    zone: "eu-west-1c",
  },
];
const patience = { timeout: 60_000, interval: 200 };
const exclusion = "node.kubernetes.io/exclude-from-external-load-balancers";

describe("the demo group's terminating instance, on a real control plane", () => {
  let world: RealWorld;
  let actions: readonly ActionRecord[];

  beforeAll(async () => {
    world = await startRealWorld({ nodes, group });
    await populate(world);
    world.terminate(leaving.instanceId, token);
    actions = await world.released(leaving.instanceId);
  });
  afterAll(async () => {
    await world.stop();
  });

  it("is drained through queue and authenticator, and released once with its token", () => {
    expect(actions).toMatchObject([{ token, end: { result: "CONTINUE", by: "call" } }]);
    expect(completions(world)).toHaveLength(1);
  });

  it("has its node labelled and cordoned and two pods evicted, without any other write but Events", async () => {
    const audit = await world.controlPlane.audit({
      userAgent: "eks-node-lifecycle/",
      verbs: mutatingVerbs,
    });
    const all = audit.filter(({ stage }) => stage === "ResponseComplete");
    const written = all.filter(({ resource }) => resource !== "events");

    expect(written.map(inShort)).toEqual([
      `patch nodes ${leaving.name} 200`,
      "create pods/eviction demo/nginx-demo-deployment-7587998bf4-dkd5t 201",
      "create pods/eviction kube-system/coredns-5947f47f5f-t4f89 201",
    ]);
    const query = readQuery(queryStringOf(logQueries.writes).toString());
    const rows = (await world.controlPlane.audit()).map(({ line }) => rowOf(line));
    expect(query.find(rows).map(({ "@message": line }) => line)).toEqual(
      all.map(({ line }) => line).toReversed(),
    );
    expect(written[0]?.requestObject).toMatchObject({
      metadata: { labels: { [exclusion]: expect.any(String) } },
      spec: { unschedulable: true },
    });
  });

  it("leaves replacements of the evicted pods Running elsewhere, and the DaemonSets' pods in place", async () => {
    await vi.waitFor(async () => {
      const pods = await runningPods(world);
      const nodesOf = (app: string) =>
        pods.filter(({ metadata }) => labelled(metadata, app)).map(nodeName);
      expect(nodesOf("nginx-demo-deployment-7587998bf4")).toHaveLength(4);
      expect(nodesOf("nginx-demo-deployment-7587998bf4")).not.toContain(leaving.name);
      expect(nodesOf("coredns-5947f47f5f")).toHaveLength(2);
      expect(nodesOf("coredns-5947f47f5f")).not.toContain(leaving.name);
      expect(nodesOf("aws-node")).toContain(leaving.name);
      expect(nodesOf("kube-proxy")).toContain(leaving.name);
    }, patience);
  });
});

const labelled = (metadata: V1Pod["metadata"], app: string): boolean => {
  const { app: found } = metadata?.labels ?? {};
  return found === app;
};

const nodeName = ({ spec }: V1Pod): string => spec?.nodeName ?? "";

const inShort = ({ verb, resource, subresource, namespace: of, name, code }: AuditEntry): string =>
  `${verb} ${subresource ? `${resource}/${subresource}` : resource} ${of ? `${of}/${name}` : name} ${code}`;

const completions = ({ aws }: RealWorld) => aws.calls.of("CompleteLifecycleAction");

async function runningPods({ controlPlane }: RealWorld): Promise<readonly V1Pod[]> {
  const { items } = await controlPlane.api(CoreV1Api).listPodForAllNamespaces();
  return items.filter(
    ({ metadata, status }) =>
      status?.phase === "Running" && metadata?.deletionTimestamp === undefined,
  );
}

/** Creates the demo's pods, under their names in the audit log of a managed group. */
async function populate(world: RealWorld): Promise<void> {
  const { controlPlane } = world;
  const [, second, third] = nodes.map(({ name }) => name);
  await controlPlane.apply(namespace("demo"));
  await controlled(
    world,
    { name: "nginx-demo-deployment-7587998bf4", namespace: "demo", replicas: 4 },
    [
      ["nginx-demo-deployment-7587998bf4-dkd5t", leaving.name],
      ["nginx-demo-deployment-7587998bf4-8xq2m", second],
      ["nginx-demo-deployment-7587998bf4-kzl7w", second],
      ["nginx-demo-deployment-7587998bf4-p94vd", third],
    ],
  );
  const critical = { priorityClassName: "system-cluster-critical" };
  await controlled(
    world,
    { name: "coredns-5947f47f5f", namespace: "kube-system", replicas: 2, spec: critical },
    [
      ["coredns-5947f47f5f-t4f89", leaving.name],
      ["coredns-5947f47f5f-zw6hp", second],
    ],
  );
  for (const name of ["aws-node", "kube-proxy"])
    await controlPlane.apply(daemonSet({ name, namespace: "kube-system" }));
  await vi.waitFor(async () => expect(await runningPods(world)).toHaveLength(4 + 2 + 6), patience);
}

type Placed = readonly (readonly [name: string, node: string | undefined])[];

/** A ReplicaSet that adopts the given pods; created before them, it would make pods of its own. */
async function controlled(
  { controlPlane }: RealWorld,
  workload: Parameters<typeof replicaSet>[0],
  placed: Placed,
): Promise<void> {
  const pods = placed.map(([name, node]) =>
    pod({
      ...workload,
      name,
      labels: { app: workload.name },
      spec: { ...workload.spec, ...(node === undefined ? {} : { nodeName: node }) },
    }),
  );
  await controlPlane.apply(...pods, replicaSet(workload));
}
