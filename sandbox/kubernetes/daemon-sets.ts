import { daemonSets, type Workload } from "./app-resources.ts";
import { nodes, pods } from "./core-resources.ts";
import type { Draft } from "./kube-object.ts";
import { keepWorkloads, type Machinery } from "./machinery.ts";
import type { Node } from "./node.ts";
import {
  affinityTo,
  boundNode,
  isTolerated,
  type Pod,
  type PodSpec,
  podFinished,
  podReady,
  type Toleration,
} from "./pod.ts";
import { freePodName, livePodsOf, podFrom, podsOf } from "./pod-from.ts";

const conditions: readonly (readonly [string, string])[] = [
  ["not-ready", "NoExecute"],
  ["unreachable", "NoExecute"],
  ["disk-pressure", "NoSchedule"],
  ["memory-pressure", "NoSchedule"],
  ["pid-pressure", "NoSchedule"],
  ["unschedulable", "NoSchedule"],
];

/** The tolerations of every DaemonSet pod, which include one for cordoned nodes. */
const tolerations: readonly Toleration[] = conditions.map(([name, effect]) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect,
}));

const tolerant = (spec: PodSpec): PodSpec => ({
  ...spec,
  tolerations: [...(spec.tolerations ?? []), ...tolerations],
});

/** A pod of a DaemonSet for one node, bound to it by name. */
export function daemonPod(set: Workload, node: string, name: string): Draft<Pod> {
  const pod = podFrom(set, name);
  return { ...pod, spec: { ...tolerant(pod.spec), affinity: affinityTo(node) } };
}

/** Whether a DaemonSet wants a pod on a node. */
function wants({ spec: { template } }: Workload, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const wanted = Object.entries(template.spec.nodeSelector ?? {});
  const tainted = node.spec.taints?.some((taint) => !isTolerated(tolerant(template.spec), taint));
  return !tainted && wanted.every(([key, value]) => labels[key] === value);
}

/** Keeps a pod of every DaemonSet on every fitting node; an evicted one returns to it at once. */
export const keepDaemonSets = (machinery: Machinery) =>
  keepWorkloads(machinery, daemonSets, [pods, nodes], (set) => {
    const { store, deleter } = machinery;
    for (const pod of podsOf(store, set).filter(podFinished)) deleter.tryDelete(pods, pod);
    const placed = livePodsOf(store, set).map(({ spec }) => spec.nodeName ?? boundNode(spec));
    const fitting = store.list(nodes).filter((node) => wants(set, node));
    for (const { metadata } of fitting.filter(({ metadata: { name } }) => !placed.includes(name))) {
      store.create(pods, daemonPod(set, metadata.name, freePodName(store, set)));
    }
    return countsOf(set, livePodsOf(store, set), fitting.length);
  });

function countsOf({ metadata }: Workload, own: readonly Pod[], desired: number) {
  const ready = own.filter(podReady).length;
  return {
    currentNumberScheduled: own.length,
    numberMisscheduled: Math.max(0, own.length - desired),
    desiredNumberScheduled: desired,
    numberReady: ready,
    observedGeneration: metadata.generation,
    numberAvailable: ready,
  };
}
