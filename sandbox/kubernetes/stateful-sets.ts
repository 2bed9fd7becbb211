import { statefulSets, type Workload } from "./app-resources.ts";
import { pods } from "./core-resources.ts";
import { terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { podFinished, podReady } from "./pod.ts";
import { podFrom, podsOf } from "./pod-from.ts";
import { refTo } from "./resource.ts";

/** Creates the numbered pods of StatefulSets one by one; a name is reused once its pod is gone. */
export class StatefulSets {
  readonly #machinery: Machinery;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    reconcile(machinery, [pods, statefulSets], () => this.#work());
  }

  #work(): void {
    const all = this.#machinery.store.list(statefulSets).filter((set) => !terminating(set));
    for (const set of all) {
      this.#keep(set);
      this.#report(set);
    }
  }

  /** Goes through the ordinals, and stops at the first without a ready pod. */
  #keep(set: Workload): void {
    for (let ordinal = 0; ordinal < (set.spec.replicas ?? 1); ordinal += 1) {
      if (!this.#isSettled(set, ordinal)) return;
    }
  }

  /** Whether a pod exists and is ready; creates a missing pod and deletes one that has ended. */
  #isSettled(set: Workload, ordinal: number): boolean {
    const { store, deleter } = this.#machinery;
    const name = `${set.metadata.name}-${ordinal}`;
    const pod = podsOf(store, set).find(({ metadata }) => metadata.name === name);
    if (pod === undefined) this.#make(set, name, ordinal);
    else if (podFinished(pod)) deleter.tryDelete(pods, pod);
    return pod !== undefined && podReady(pod) && !terminating(pod);
  }

  #make(set: Workload, name: string, ordinal: number): void {
    const { store } = this.#machinery;
    const { namespace } = set.metadata;
    if (store.tryGet({ resource: pods, namespace, name }) !== undefined) return;
    const pod = podFrom(set, name);
    const labels = {
      ...pod.metadata.labels,
      "apps.kubernetes.io/pod-index": String(ordinal),
      "statefulset.kubernetes.io/pod-name": name,
    };
    const spec = { ...pod.spec, hostname: name, subdomain: set.spec.serviceName };
    store.create(pods, { ...pod, metadata: { ...pod.metadata, labels }, spec });
  }

  #report(set: Workload): void {
    const { store } = this.#machinery;
    const own = podsOf(store, set).filter((pod) => !terminating(pod));
    const ready = own.filter(podReady).length;
    const { generation: observedGeneration } = set.metadata;
    const counts = { replicas: own.length, readyReplicas: ready, availableReplicas: ready };
    store.update(refTo(statefulSets, set), (current) => ({
      ...current,
      status: { observedGeneration, ...counts },
    }));
  }
}
