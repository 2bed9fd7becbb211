import { replicaSets, type Workload } from "./app-resources.ts";
import { pods } from "./core-resources.ts";
import { keepWorkloads, type Machinery } from "./machinery.ts";
import { type Pod, podFinished, podReady } from "./pod.ts";
import { freePodName, livePodsOf, podFrom } from "./pod-from.ts";

/** The deletion cost in the annotations of a pod. */
const costOf = ({ metadata }: Pod): number =>
  Number(metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0);

/**
 * Sorts pods that are cheap to lose first: unscheduled, then not ready, then those of a low cost, then those that share their node with most
 * others of the ReplicaSet, then the youngest.
 */
function dispensable(own: readonly Pod[]) {
  const onNode = Map.groupBy(own, ({ spec }) => spec.nodeName);
  const besides = ({ spec }: Pod): number => onNode.get(spec.nodeName)?.length ?? 0;
  return own.toSorted(
    (a, b) =>
      Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
      Number(podReady(a)) - Number(podReady(b)) ||
      costOf(a) - costOf(b) ||
      besides(b) - besides(a) ||
      Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion),
  );
}

/** Keeps as many pods as each ReplicaSet asks for; terminating pods do not count. */
export const keepReplicaSets = (machinery: Machinery) =>
  keepWorkloads(machinery, replicaSets, [pods], (set) => {
    const { store, deleter } = machinery;
    const own = () => livePodsOf(store, set).filter((pod) => !podFinished(pod));
    const before = own();
    const missing = (set.spec.replicas ?? 1) - before.length;
    for (let count = 0; count < missing; count += 1) {
      store.create(pods, podFrom(set, freePodName(store, set)));
    }
    for (const pod of dispensable(before).slice(0, Math.max(0, -missing))) {
      deleter.tryDelete(pods, pod);
    }
    return countsOf(set, own());
  });

function countsOf({ metadata }: Workload, own: readonly Pod[]) {
  const ready = own.filter(podReady).length;
  const counts = ready === 0 ? {} : { readyReplicas: ready, availableReplicas: ready };
  return { replicas: own.length, ...counts, observedGeneration: metadata.generation };
}
