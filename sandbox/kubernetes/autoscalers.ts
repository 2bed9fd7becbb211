import { seconds } from "../../lambda/base/time.ts";
import { autoscalers, deployments } from "./app-resources.ts";
import type { Machinery } from "./machinery.ts";
import { Wake } from "./wake.ts";

// The default of the controller manager's --horizontal-pod-autoscaler-sync-period.
const sync = seconds(15);

/** Keeps the count of each Deployment within the bounds of its autoscaler; there are no metrics, so that it judges by nothing else. */
export function keepAutoscalers({ timeline, store }: Machinery): void {
  const wake = new Wake(timeline, () => {
    for (const { metadata, spec } of store.list(autoscalers)) {
      const { namespace } = metadata;
      const ref = { resource: deployments, namespace, name: spec.scaleTargetRef.name };
      const now = store.tryGet(ref)?.spec.replicas ?? 0;
      const replicas = Math.min(spec.maxReplicas, Math.max(spec.minReplicas ?? 1, now));
      if (now > 0)
        store.update(ref, (current) => ({ ...current, spec: { ...current.spec, replicas } }));
    }
    if (store.list(autoscalers).length > 0) wake.after(sync);
  });
  store.subscribe(({ resource }) => {
    if (resource === autoscalers) wake.after(sync);
  });
}
