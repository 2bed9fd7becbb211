import { pods } from "./kubernetes/core-resources.ts";
import { terminating } from "./kubernetes/kube-object.ts";
import { selects } from "./kubernetes/label-selector.ts";
import type { Pod } from "./kubernetes/pod.ts";
import { budgets } from "./kubernetes/policy-resources.ts";
import type { SandboxCluster } from "./kubernetes/sandbox-cluster.ts";
import { titleOf } from "./pod-watch.ts";

/** Whether a pod is gone, ending or free to go, or else which budgets forbid its eviction. */
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
