import { selects } from "./cluster/fields/label-selector.ts";
import { pods } from "./cluster/kinds/core-resources.ts";
import { terminating } from "./cluster/kinds/kube-object.ts";
import type { Pod } from "./cluster/kinds/pod.ts";
import { budgets } from "./cluster/kinds/policy-resources.ts";
import type { SandboxCluster } from "./cluster/sandbox-cluster.ts";
import { titleOf } from "./pod-watch.ts";

/** Whether a pod is gone, ending or free to go, or else which budgets forbid its eviction. */
export type Hold = "gone" | "ending" | "free" | { readonly budgets: string };

/** Finds out from the cluster's objects what keeps a pod on its node. */
export function holdOnPod(cluster: SandboxCluster, title: string): Hold {
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
