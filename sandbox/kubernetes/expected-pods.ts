import { deployments, replicaSets, statefulSets } from "./app-resources.ts";
import type { PodDisruptionBudget } from "./budget.ts";
import { controllerOf, type KubeObject } from "./kube-object.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Pod } from "./pod.ts";
import type { Workload } from "./workload.ts";

/** How many pods a budget expects, and how many of them must be healthy. */
export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** The object that scales a pod, if it is of a kind that the disruption controller knows. */
function scaledBy(store: ObjectStore, pod: Pod): Workload | undefined {
  const owner = controllerOf(pod);
  const { namespace } = pod.metadata;
  const owned = (object: KubeObject) => object.metadata.uid === owner?.uid;
  const set = store.list(replicaSets, namespace).find(owned);
  const above = set && controllerOf(set);
  if (above === undefined) return set ?? store.list(statefulSets, namespace).find(owned);
  const found = store.list(deployments, namespace).find((it) => it.metadata.uid === above.uid);
  return found ?? set;
}

/** The sum of the scales of the pods' controllers, or an error text if one is not found. */
function expectedScale(store: ObjectStore, pods: readonly Pod[]): number | string {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    if (controllerOf(pod) === undefined) continue;
    const scaled = scaledBy(store, pod);
    if (scaled === undefined) return `found no controllers for pod "${pod.metadata.name}"`;
    scales.set(scaled.metadata.uid, scaled.spec.replicas ?? 1);
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

/** A number of pods as it is, or a percentage of the whole, rounded up. */
function countOf(value: number | string, whole: number): number | string {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined)
    return "invalid value for IntOrString: invalid type: string is not a percentage";
  return Math.ceil((Number(percent) * whole) / 100);
}

/** What a budget expects of its pods, or the error text if the controller cannot tell. */
export function expectedPods(
  store: ObjectStore,
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
): Expectation | string {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable === undefined && typeof minAvailable === "number") {
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  }
  const limit = maxUnavailable ?? minAvailable;
  if (limit === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const scale = expectedScale(store, pods);
  if (typeof scale === "string") return scale;
  const count = countOf(limit, scale);
  if (typeof count === "string") return count;
  const desiredHealthy = maxUnavailable === undefined ? count : Math.max(0, scale - count);
  return { expectedPods: scale, desiredHealthy };
}
