import type { Change } from "./kubernetes/change-log.ts";
import { pods } from "./kubernetes/core-resources.ts";
import { controllerOf, terminating } from "./kubernetes/kube-object.ts";
import { type Pod, podReady } from "./kubernetes/pod.ts";
import type { SandboxCluster } from "./kubernetes/sandbox-cluster.ts";
import type { Cancel } from "./timeline.ts";

/** A pod that is ready for the first time, and the pod it replaces; empty if it replaces none. */
export interface Appearance {
  readonly pod: string;
  readonly node: string;
  readonly replaces: string;
}

/** The namespace and name of a pod, as people write them. */
export const titleOf = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

/** Reports every pod that becomes ready, and the pod of the same controller that it replaces. */
export function watchPods(
  { store }: SandboxCluster,
  tell: (appearance: Appearance) => void,
): Cancel {
  const known = new Set(store.list(pods).map(({ metadata }) => metadata.uid));
  const orphaned: { readonly pod: string; readonly controller: string }[] = [];

  const leaves = (pod: Pod): void => {
    const controller = controllerOf(pod)?.uid;
    if (controller !== undefined) orphaned.push({ pod: titleOf(pod), controller });
  };
  const appears = (pod: Pod): void => {
    known.add(pod.metadata.uid);
    const gap = orphaned.findIndex(({ controller }) => controller === controllerOf(pod)?.uid);
    const [replaced] = gap < 0 ? [] : orphaned.splice(gap, 1);
    tell({ pod: titleOf(pod), node: pod.spec.nodeName ?? "", replaces: replaced?.pod ?? "" });
  };
  return store.subscribe(({ resource, before, after }: Change) => {
    if (resource !== pods) return;
    const [was, is] = [before as Pod | undefined, after as Pod | undefined];
    if (isActive(was) && !isActive(is)) leaves(was);
    if (isActive(is) && podReady(is) && !known.has(is.metadata.uid)) appears(is);
  });
}

const isActive = (pod: Pod | undefined): pod is Pod => pod !== undefined && !terminating(pod);
