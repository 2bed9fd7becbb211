import type { Pod } from "./pod.ts";

const traits = new WeakMap<Pod, string>();
const known = new WeakMap<readonly Pod[], readonly Pod[]>();

/** Keeps one pod for each namespace and set of labels. A budget selects pods by these alone, so one answers for all. */
export function unlike(pods: readonly Pod[]): readonly Pod[] {
  const found = known.get(pods) ?? [...new Map(pods.map((pod) => [traitsOf(pod), pod])).values()];
  known.set(pods, found);
  return found;
}

/** Caches the labels of a pod as text. Each change of a pod is read as a new object. */
function traitsOf(pod: Pod): string {
  const written = traits.get(pod) ?? JSON.stringify([pod.namespace, pod.labels]);
  traits.set(pod, written);
  return written;
}
