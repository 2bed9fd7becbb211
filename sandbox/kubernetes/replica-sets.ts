import { replicaSets, type Workload } from "./app-resources.ts";
import { pods } from "./core-resources.ts";
import { terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { type Pod, podFinished, podReady } from "./pod.ts";
import { freePodName, podFrom, podsOf } from "./pod-from.ts";
import { refTo } from "./resource.ts";

/** What the annotations of a pod say that its end costs. */
const costOf = ({ metadata }: Pod): number =>
  Number(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);

/** Sorts pods that are cheap to lose first: unscheduled, then not ready, then those of a low cost, then the youngest. */
const dispensable = (a: Pod, b: Pod): number =>
  Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
  Number(podReady(a)) - Number(podReady(b)) ||
  costOf(a) - costOf(b) ||
  Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion);

/** Keeps as many pods as a ReplicaSet asks for; terminating pods do not count. */
export class ReplicaSets {
  readonly #machinery: Machinery;

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    reconcile(machinery, [pods, replicaSets], () => this.#work());
  }

  #work(): void {
    const all = this.#machinery.store.list(replicaSets).filter((set) => !terminating(set));
    for (const set of all) this.#keep(set);
  }

  #keep(set: Workload): void {
    const { store, deleter } = this.#machinery;
    const own = podsOf(store, set).filter((pod) => !(terminating(pod) || podFinished(pod)));
    const missing = (set.spec.replicas ?? 1) - own.length;
    for (let count = 0; count < missing; count += 1) {
      store.create(pods, podFrom(set, freePodName(store, set)));
    }
    for (const pod of own.toSorted(dispensable).slice(0, Math.max(0, -missing))) {
      deleter.tryDelete(pods, pod);
    }
    this.#report(set);
  }

  #report(set: Workload): void {
    const { store } = this.#machinery;
    const own = podsOf(store, set).filter((pod) => !(terminating(pod) || podFinished(pod)));
    const ready = own.filter(podReady).length;
    const { generation: observedGeneration } = set.metadata;
    const counts = ready === 0 ? {} : { readyReplicas: ready, availableReplicas: ready };
    const status = { replicas: own.length, ...counts, observedGeneration };
    store.update(refTo(replicaSets, set), (current) => ({ ...current, status }));
  }
}
