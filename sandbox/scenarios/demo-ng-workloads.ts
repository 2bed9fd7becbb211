import type { SandboxCluster } from "../kubernetes/sandbox-cluster.ts";
import { type DemoInstances, nodeOf } from "./demo-ng-group.ts";

type DemoPlace = keyof DemoInstances;
type DemoPods = readonly (readonly [place: DemoPlace, pod: string])[];

const nginx: DemoPods = [
  ["leaving", "nginx-demo-deployment-7587998bf4-dkd5t"],
  ["neighbour", "nginx-demo-deployment-7587998bf4-4qz8w"],
  ["farther", "nginx-demo-deployment-7587998bf4-mx2hc"],
  ["farther", "nginx-demo-deployment-7587998bf4-v6r9s"],
];
const coredns: DemoPods = [
  ["leaving", "coredns-5947f47f5f-t4f89"],
  ["neighbour", "coredns-5947f47f5f-9wkxz"],
];
const awsNode: DemoPods = [
  ["leaving", "aws-node-j2c7p"],
  ["neighbour", "aws-node-8fvtd"],
  ["farther", "aws-node-r5kql"],
];
const kubeProxy: DemoPods = [
  ["leaving", "kube-proxy-4pjhk"],
  ["neighbour", "kube-proxy-z7n2g"],
  ["farther", "kube-proxy-c9wbt"],
];

const system = { namespace: "kube-system" };
const onEveryNode = {
  priorityClassName: "system-node-critical",
  tolerations: [{ operator: "Exists" }],
};

/** Runs the workloads of the demo cluster. The pods of a node that never joined run on its neighbour. */
export function populateWorkloads(
  cluster: SandboxCluster,
  instances: DemoInstances,
  joined: readonly DemoPlace[],
): void {
  const host = (place: DemoPlace) => instances[joined.includes(place) ? place : "neighbour"];
  const on = (placed: DemoPods) =>
    placed.map(([place, name]) => ({ name, node: nodeOf(host(place)) }));
  const onItsOwn = (placed: DemoPods) => on(placed.filter(([place]) => joined.includes(place)));
  cluster.addDeployment({
    name: "nginx-demo-deployment",
    namespace: "demo",
    replicas: nginx.length,
    labels: { app: "nginx-demo" },
    hash: "7587998bf4",
    pods: on(nginx),
  });
  cluster.addDeployment({
    ...system,
    name: "coredns",
    replicas: coredns.length,
    labels: { "k8s-app": "kube-dns" },
    spec: { priorityClassName: "system-cluster-critical" },
    hash: "5947f47f5f",
    pods: on(coredns),
  });
  const daemons = [
    { name: "aws-node", pods: onItsOwn(awsNode) },
    { name: "kube-proxy", pods: onItsOwn(kubeProxy) },
  ];
  for (const { name, pods } of daemons)
    cluster.addDaemonSet({ ...system, name, labels: { "k8s-app": name }, spec: onEveryNode, pods });
}

/** Adds a budget that allows no eviction of an nginx pod. */
export function blockNginx(cluster: SandboxCluster): void {
  cluster.addBudget({
    name: "nginx-demo",
    namespace: "demo",
    selector: { matchLabels: { app: "nginx-demo" } },
    maxUnavailable: 0,
  });
}
