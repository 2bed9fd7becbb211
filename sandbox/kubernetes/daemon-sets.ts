import { daemonSets, type Workload } from "./app-resources.ts";
import { isTolerated } from "./blocking-taints.ts";
import { nodes, pods } from "./core-resources.ts";
import { type Draft, terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import type { Node } from "./node.ts";
import { type Pod, type PodSpec, podFinished, podReady, type Toleration } from "./pod.ts";
import { affinityTo, boundNode } from "./pod-affinity.ts";
import { freePodName, podFrom, podsOf } from "./pod-from.ts";
import { refTo } from "./resource.ts";

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
export class DaemonSets {
  readonly #machinery: Machinery;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    reconcile(machinery, [pods, nodes, daemonSets], () => this.#work());
  }

  #work(): void {
    const all = this.#machinery.store.list(daemonSets).filter((set) => !terminating(set));
    for (const set of all) this.#keep(set);
  }

  #keep(set: Workload): void {
    const { store, deleter } = this.#machinery;
    const own = podsOf(store, set);
    for (const pod of own.filter(podFinished)) deleter.tryDelete(pods, pod);
    const placed = own.filter((pod) => !terminating(pod)).map(placeOf);
    const fitting = store.list(nodes).filter((node) => wants(set, node));
    for (const { metadata } of fitting.filter(({ metadata: { name } }) => !placed.includes(name))) {
      store.create(pods, daemonPod(set, metadata.name, freePodName(store, set)));
    }
    this.#report(set, fitting.length);
  }

  #report(set: Workload, desired: number): void {
    const { store } = this.#machinery;
    const own = podsOf(store, set).filter((pod) => !terminating(pod));
    const ready = own.filter(podReady).length;
    const status = {
      currentNumberScheduled: own.length,
      numberMisscheduled: Math.max(0, own.length - desired),
      desiredNumberScheduled: desired,
      numberReady: ready,
      observedGeneration: set.metadata.generation,
      numberAvailable: ready,
    };
    store.update(refTo(daemonSets, set), (current) => ({ ...current, status }));
  }
}

const placeOf = ({ spec }: Pod): string | undefined => spec.nodeName ?? boundNode(spec);
