import { statefulSets, type Workload } from "./app-resources.ts";
import { pods } from "./core-resources.ts";
import { terminating } from "./kube-object.ts";
import { keepWorkloads, type Machinery } from "./machinery.ts";
import { podFinished, podReady } from "./pod.ts";
import { livePodsOf, podFrom, podsOf } from "./pod-from.ts";

/** Creates the numbered pods of StatefulSets one by one; a name is reused once its pod is gone. */
export const keepStatefulSets = (machinery: Machinery) =>
  keepWorkloads(machinery, statefulSets, [pods], (set) => {
    // It stops at the first ordinal without a ready pod.
    for (let ordinal = 0; ordinal < (set.spec.replicas ?? 1); ordinal += 1) {
      if (!isSettled(machinery, set, ordinal)) break;
    }
    const own = livePodsOf(machinery.store, set);
    const ready = own.filter(podReady).length;
    const { generation: observedGeneration } = set.metadata;
    return {
      observedGeneration,
      replicas: own.length,
      readyReplicas: ready,
      availableReplicas: ready,
    };
  });

/** Whether a pod exists and is ready; creates a missing pod and deletes one that has ended. */
function isSettled({ store, deleter }: Machinery, set: Workload, ordinal: number): boolean {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podsOf(store, set).find(({ metadata }) => metadata.name === name);
  const ref = { resource: pods, namespace: set.metadata.namespace, name };
  if (pod === undefined && store.tryGet(ref) === undefined)
    store.create(pods, numbered(set, name, ordinal));
  if (pod !== undefined && podFinished(pod)) deleter.tryDelete(pods, pod);
  return pod !== undefined && podReady(pod) && !terminating(pod);
}

function numbered(set: Workload, name: string, ordinal: number) {
  const pod = podFrom(set, name);
  const labels = {
    ...pod.metadata.labels,
    "apps.kubernetes.io/pod-index": String(ordinal),
    "statefulset.kubernetes.io/pod-name": name,
  };
  const spec = { ...pod.spec, hostname: name, subdomain: set.spec.serviceName };
  return { ...pod, metadata: { ...pod.metadata, labels }, spec };
}
