import { pods } from "./cluster/core-resources.ts";
import { terminating } from "./cluster/kube-object.ts";
import { selects } from "./cluster/label-selector.ts";
import type { Pod } from "./cluster/pod.ts";
import { budgets } from "./cluster/policy-resources.ts";
import type { SandboxCluster } from "./cluster/sandbox-cluster.ts";
import { titleOf } from "./pod-watch.ts";

/** Says what holds a pod where it is, as the cluster knows it; `undefined` if there is no such pod. */
export function tryHoldOnPod(cluster: SandboxCluster, title: string): string | undefined {
  const pod = cluster.store.list(pods).find((one) => titleOf(one) === title);
  if (pod === undefined) return undefined;
  if (terminating(pod)) return `${title}: ending`;
  const held = budgetsOver(cluster, pod).map(
    ({ metadata: { namespace, name }, status: { disruptionsAllowed } }) =>
      `budget ${namespace}/${name} allows ${disruptionsAllowed} disruptions`,
  );
  return `${title}: ${held.length === 0 ? "not evicted yet" : held.join(", ")}`;
}

const budgetsOver = ({ store }: SandboxCluster, { metadata }: Pod) =>
  store
    .list(budgets, metadata.namespace)
    .filter(({ spec }) => selects(spec.selector, metadata.labels));
