import { setTimeout } from "node:timers/promises";
import { AwsAuthMap } from "../../lambda/aws/aws-auth-map.ts";
import { instanceId, type NodeName } from "../../lambda/base/ids.ts";
import { instant, never, seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { type Marking, markingFor } from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Collection } from "../../lambda/kubernetes/collection.ts";
import { allAttachments, budgetsIn } from "../../lambda/kubernetes/collections.ts";
import { KubeEventRecorder } from "../../lambda/kubernetes/event-recorder.ts";
import { Informer } from "../../lambda/kubernetes/informer.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { kubeWorkloads } from "../../lambda/kubernetes/making-room/kube-workloads.ts";
import { KubeNodeConditions } from "../../lambda/kubernetes/node-conditions.ts";
import { readJson } from "../../lambda/kubernetes/send-request.ts";
import { unneededCost } from "../../lambda/making-room/record.ts";
import type { Scaler, Workload } from "../../lambda/making-room/workload.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { eventBody, eventSeries } from "../../lambda/report/event-body.ts";
import { nodeRef } from "../../lambda/report/kube-event.ts";
import { ownWords } from "../../lambda/report/lifecycle-conditions.ts";
import type { Caller } from "./ground.ts";

/** A role, and the objects that it works on. */
export interface Worker {
  readonly caller: Caller;
  readonly node: Node;
  readonly pod: Pod;
  /** Changes a pod, a budget and an attachment. */
  stir(): Promise<void>;
}

const awsAuth = { name: "aws-auth", namespace: "kube-system" };
const mostLooks = 250;

/** What the function does with each permission; without it, the work throws or returns an error. */
export const works: Readonly<Record<string, (worker: Worker) => Promise<unknown>>> = {
  "get nodes": ({ caller, node }) => caller.cluster.node(node.name),
  "list nodes": ({ caller }) => caller.cluster.findNode(instanceId("i-0"), []),
  "patch nodes": ({ caller, node }) => caller.cluster.mark(node, () => markNow(node)),
  "patch nodes/status": ({ caller, node }) => conditioned(caller, node.name),
  "delete nodes": ({ caller, node }) => removed(caller.cluster, node.name),
  "list pods": followPods,
  "watch pods": followPods,
  "create pods/eviction": ({ caller, pod }) => caller.cluster.evict(pod, "own"),
  "delete pods": ({ caller, pod }) => caller.cluster.remove(pod, seconds(30)),
  "get persistentvolumeclaims": ({ caller, pod }) => caller.cluster.volumeOf(pod.namespace, "data"),
  "get daemonsets": ({ caller, pod }) => caller.cluster.daemonSet(pod.namespace, "agent"),
  "list poddisruptionbudgets": (worker) => listFirst(budgetsIn(worker.pod.namespace), worker),
  "watch poddisruptionbudgets": followPods,
  "list volumeattachments": (worker) => listFirst(allAttachments, worker),
  "watch volumeattachments": followAttachments,
  "watch nodes": followNode,
  "create configmaps": ({ caller }) => mapOf(caller).write({ metadata: awsAuth }, ""),
  "create events": (worker) => record("new", worker),
  "patch events": (worker) => record("change", worker),
  "get configmaps": ({ caller }) => mapOf(caller).read(),
  "update configmaps": async ({ caller }) => {
    const map = await mapOf(caller).read();
    const { mapRoles = "" } = map.data ?? {};
    return mapOf(caller).write(map, mapRoles);
  },
  "get namespaces": async ({ caller, pod }) => workloadsOf(caller).namespaceWishes(pod.namespace),
  "patch pods": async ({ caller, pod }) => workloadsOf(caller).write({ pod, cost: unneededCost }),
  "get replicasets": async ({ caller, pod }) =>
    workloadsOf(caller).ownerOf({ ...pod, controller: ofSet }),
  "get deployments": async ({ caller, pod }) => workloadsOf(caller).reload(workloadBeside(pod)),
  "list deployments": async ({ caller }) => workloadsOf(caller).records(),
  "list horizontalpodautoscalers": async ({ caller }) => workloadsOf(caller).records(),
  "patch deployments": async ({ caller, pod }) =>
    workloadsOf(caller).write(unchanged(workloadBeside(pod))),
  "patch horizontalpodautoscalers": async ({ caller, pod }) => {
    const scaler = { ...scalerBeside(pod), kind: "HorizontalPodAutoscaler" } as const;
    return workloadsOf(caller).write(unchanged(scaler));
  },
  "patch scaledobjects": async ({ caller, pod }) => {
    const scaler = { ...scalerBeside(pod), kind: "ScaledObject" } as const;
    const workloads = workloadsOf(caller);
    return ifServed(workloads.write(unchanged(scaler)));
  },
  "get scaledobjects": ({ caller }) =>
    ifServed(readAt(caller, "/apis/keda.sh/v1alpha1/namespaces/default/scaledobjects/none")),
  "get persistentvolumes": ({ caller }) =>
    ifServed(readAt(caller, "/api/v1/persistentvolumes/none")),
  "list replicasets": async ({ caller }) => workloadsOf(caller).records(),
  // Without the right to see those of KEDA, the others are put back all the same.
  "list scaledobjects": async ({ caller }) => {
    const { skipped } = await workloadsOf(caller).records();
    const unseen = skipped.find(({ about }) => about === "ScaledObjects");
    if (unseen !== undefined) throw new Error(unseen.why);
  },
  "patch replicasets": async ({ caller, pod }) =>
    workloadsOf(caller).write(unchanged({ ...workloadBeside(pod), kind: "ReplicaSet" })),
};

const workloadsOf = ({ client }: Caller) => kubeWorkloads(client, systemClock);

const readAt = ({ client }: Caller, path: string): Promise<unknown> =>
  client.ask(`reading ${path}`, (connection) => readJson(connection, path));

/** Nothing of the name is there, or no cluster with KEDA; whoever lacks the right does not even learn that. */
const ifServed = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((cause: unknown) => {
    if (!String(cause).includes("HTTP 404")) throw cause;
  });

const unchanged = (to: Scaler | Workload) =>
  ({ kind: "write", to, record: "none", count: "as it is", change: "nothing" }) as const;

const scalerBeside = (pod: Pod) =>
  ({ ...workloadBeside(pod), min: 1, max: 2, state: "followed" }) as const;

const ofSet = {
  kind: "owner",
  type: "ReplicaSet",
  apiVersion: "apps/v1",
  name: "web-1",
  uid: "none",
} as const;

/** A Deployment that is gone since it was read: whoever lacks the right does not even learn that. */
const workloadBeside = ({ namespace }: Pod): Workload => ({
  kind: "Deployment",
  namespace,
  name: "web",
  uid: "none",
  resourceVersion: "1",
  annotations: {},
  managers: [],
  isLabelled: false,
  isDeclared: false,
  changes: [],
  selector: "",
  labels: {},
  claims: [],
  minReady: seconds(0),
  cost: "",
  pinnedTo: "",
  replicas: 1,
  maxSurge: 1,
  strategy: "RollingUpdate",
  state: "settled",
  scalers: [],
});

const markNow = (node: Node): Marking =>
  markingFor(node, {
    taints: [],
    cause: { reason: "terminating", deadline: never },
    at: instant(Date.now()),
  });

const mapOf = ({ client }: Caller): AwsAuthMap => new AwsAuthMap(client);

/** Follows a node until it shows a mark. */
async function followNode({ caller: { cluster }, node }: Worker): Promise<void> {
  const view = await cluster.followNodes([node.name], new Wakeup());
  try {
    await marked(cluster, node.name);
    await seen(() => view.nodes().some(({ unschedulable }) => unschedulable));
  } finally {
    view.close();
  }
}

/** Marks a node, however often others write to it meanwhile. */
async function marked(cluster: KubeCluster, name: NodeName): Promise<void> {
  const now = await cluster.node(name);
  if (now === "absent") throw new Error(`${name} is gone`);
  const outcome = await cluster.mark(now, () => markNow(now));
  if (outcome === "changed") await marked(cluster, name);
}

/** Sets a condition of a node that it has not had, however often others write to it meanwhile. */
async function conditioned(caller: Caller, name: NodeName): Promise<void> {
  const drained = {
    type: "Drained",
    reason: "DrainCompleted",
    message: `${ownWords}at ${Date.now()}`,
  } as const;
  const conditions = new KubeNodeConditions(caller.client, systemClock);
  if ((await conditions.change(name, () => [drained])) === "changed")
    await conditioned(caller, name);
}

/** Removes a node, however often others write to it meanwhile. */
async function removed(cluster: KubeCluster, name: NodeName): Promise<void> {
  const now = await cluster.node(name);
  if (now === "absent") throw new Error(`${name} is gone`);
  if ((await cluster.removeNode(now)) === "changed") await removed(cluster, name);
}

/** Records an Event, or a change of one. */
function record(as: "change" | "new", { caller, pod: { namespace } }: Worker) {
  const now = instant(Date.now());
  const regarding = nodeRef("node-1");
  const told = { action: "Drain", reason: "Drained", type: "Normal", note: "", regarding } as const;
  const body = as === "new" ? eventBody(told, now) : eventSeries(2, now);
  const event = { key: namespace, namespace: "default", body };
  return new KubeEventRecorder(caller.client).record(event, as);
}

async function followPods({ caller, node, pod, stir }: Worker): Promise<void> {
  const view = await caller.cluster.follow(node.name, new Wakeup());
  const { namespace } = pod;
  try {
    await stir();
    await seen(() => view.pods().some(({ labels }) => "stirred" in labels));
    await seen(() => view.budgets().some((budget) => budget.namespace === namespace));
  } finally {
    view.close();
  }
}

async function followAttachments({ caller, node, pod, stir }: Worker): Promise<void> {
  const view = await caller.cluster.followAttachments(
    { node: node.name, volumes: "unknown" },
    new Wakeup(),
  );
  try {
    await stir();
    await seen(() => view.attachments().some(({ name }) => name === pod.namespace));
  } finally {
    view.close();
  }
}

/** Follows a collection from a list: for servers without streamed lists, or after an old watch. */
async function listFirst<T>(collection: Collection<T>, { caller }: Worker): Promise<void> {
  const following = { client: caller.client, clock: systemClock, wakeup: new Wakeup() };
  const informer = new Informer({ ...collection, start: "listed" }, following);
  await informer.start();
  informer.close();
}

/** Looks until the result is there, or until the look throws. */
async function seen(look: () => boolean): Promise<void> {
  for (let looks = 0; !look(); looks += 1) {
    if (looks === mostLooks) throw new Error("nothing was heard");
    await setTimeout(100);
  }
}
