import { budgets } from "./kubernetes/budget.ts";
import type { Change } from "./kubernetes/change-log.ts";
import { pods } from "./kubernetes/core-resources.ts";
import { controllerOf, terminating } from "./kubernetes/kube-object.ts";
import { selects } from "./kubernetes/label-selector.ts";
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
const titleOf = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

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

/** The state of a pod, or the budgets that forbid its eviction. */
export type PodHold = "gone" | "ending" | "free" | { readonly budgets: string };

/** Finds out from the cluster's objects what keeps a pod on its node. */
export function holdOnPod(cluster: SandboxCluster, title: string): PodHold {
  const pod = cluster.store.list(pods).find((one) => titleOf(one) === title);
  if (pod === undefined) return "gone";
  if (terminating(pod)) return "ending";
  const blocking = blockingBudgets(cluster, pod);
  return blocking.length === 0 ? "free" : { budgets: blocking.join(", ") };
}

const blockingBudgets = ({ store }: SandboxCluster, { metadata }: Pod): readonly string[] =>
  store
    .list(budgets, metadata.namespace)
    .filter(({ spec }) => selects(spec.selector, metadata.labels))
    .filter(({ status }) => status.disruptionsAllowed <= 0)
    .map(({ metadata: { namespace, name } }) => `budget ${namespace}/${name} allows no disruption`);
