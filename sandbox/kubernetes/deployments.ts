import { seconds } from "../../lambda/base/time.ts";
import {
  type Autoscaler,
  autoscalers,
  deployments,
  replicaSets,
  type Workload,
} from "./app-resources.ts";
import { controllerOf, ownedBy } from "./kube-object.ts";
import { keepWorkloads, type Machinery } from "./machinery.ts";
import { refTo } from "./resource.ts";
import { Wake } from "./wake.ts";

/** Finds or creates the ReplicaSet of a Deployment; a hash of the template is in its name. */
export function replicaSetOf(
  { store, random }: Pick<Machinery, "random" | "store">,
  deployment: Workload,
  hash = random.suffix(10),
): Workload {
  const { namespace, name } = deployment.metadata;
  const own = store
    .list(replicaSets, namespace)
    .find((set) => controllerOf(set)?.uid === deployment.metadata.uid);
  if (own !== undefined) return own;
  const { template, selector, replicas } = deployment.spec;
  const hashed = { "pod-template-hash": hash };
  const labels = { ...template.metadata?.labels, ...hashed };
  const ownerReferences = [ownedBy(deployment)];
  return store.create(replicaSets, {
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...hashed } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
}

/** Keeps one ReplicaSet at the scale of each Deployment; it performs no rollouts. */
export const keepDeployments = (machinery: Machinery) =>
  keepWorkloads(machinery, deployments, [replicaSets], (deployment) => {
    const { replicas } = deployment.spec;
    const ref = refTo(replicaSets, replicaSetOf(machinery, deployment));
    const { status } = machinery.store.update(ref, (current) => ({
      ...current,
      spec: { ...current.spec, replicas },
    }));
    const { generation: observedGeneration } = deployment.metadata;
    return { ...status, observedGeneration, updatedReplicas: status.replicas };
  });

// The default of the controller manager's --horizontal-pod-autoscaler-sync-period.
const sync = seconds(15);

/** Keeps the count of each Deployment within the bounds of its autoscaler; there are no metrics, so that it judges by nothing else. */
export function keepAutoscalers({ timeline, store }: Machinery): void {
  const keep = ({ metadata, spec }: Autoscaler): void => {
    const { namespace } = metadata;
    const ref = { resource: deployments, namespace, name: spec.scaleTargetRef.name };
    const now = store.tryGet(ref)?.spec.replicas ?? 0;
    const replicas = Math.min(spec.maxReplicas, Math.max(spec.minReplicas ?? 1, now));
    if (now > 0)
      store.update(ref, (current) => ({ ...current, spec: { ...current.spec, replicas } }));
  };
  const wake = new Wake(timeline, () => {
    const all = store.list(autoscalers);
    for (const autoscaler of all) keep(autoscaler);
    if (all.length > 0) wake.after(sync);
  });
  store.subscribe(({ resource }) => {
    if (resource === autoscalers) wake.after(sync);
  });
}
